extension FetchPredicate {
    /// Reads a predicate format.
    ///
    /// - Parameters:
    ///   - format: A format in NSPredicate's syntax: `name BEGINSWITH[c] %@ AND age > %d`.
    ///   - arguments: One value for each placeholder: any value for `%@`, a key path as a string
    /// for `%K`, and a number for the numeric placeholders of `printf`.
    ///
    /// - Throws: ``FetchPredicateError`` with the column.
    public init(
        _ format: String, _ arguments: (any PredicateArgument)?...
    ) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Reads a predicate format with one argument for each placeholder.
    ///
    /// - Throws: ``FetchPredicateError`` with the column.
    public init(
        format: String, _ arguments: (any PredicateArgument)?...
    ) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Reads a predicate format with one element of `arguments` for each placeholder.
    ///
    /// - Throws: ``FetchPredicateError`` with the column.
    public init(format: String, arguments: [(any PredicateArgument)?]) throws(FetchPredicateError) {
        if let template = FormatCache.template(of: format) {
            self = try template.predicate(with: arguments)
        } else {
            var parser = try PredicateParser(format, arguments: PlaceholderArguments(arguments))
            self = try parser.parse()
        }
    }
}

extension FetchExpression {
    /// Reads an expression in the format of predicates, such as `salary * 12`, with one element of
    /// `arguments` for each placeholder.
    ///
    /// - Throws: ``FetchPredicateError`` with the column.
    public init(
        format: String, arguments: [(any PredicateArgument)?] = []
    ) throws(FetchPredicateError) {
        var parser = try PredicateParser(format, arguments: PlaceholderArguments(arguments))
        self = try parser.parseExpression()
    }
}
