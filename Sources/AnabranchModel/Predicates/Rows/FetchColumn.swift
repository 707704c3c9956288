import AnabranchReplication

/// One column of the rows that a request for values returns.
///
/// ```swift
/// request.propertiesToFetch = ["department.name", .count(as: "people"), .sum("salary")]
/// ```
///
/// A function of a collection, such as `sum(salary)`, is computed over all rows of a group if its
/// argument is a single value of a row.
public struct FetchColumn: Hashable, Sendable {
    /// The name of the value in a row.
    public var name: String
    /// The value: a property, or an expression of the predicate language.
    public var expression: FetchExpression
    /// The type of the values; `nil` for the type that the expression has by itself.
    public var resultType: AttributeType?

    /// Creates a column from an expression.
    ///
    /// - Parameter resultType: The type to which every value is converted. A value that it can't
    ///   hold exactly is an error of the fetch.
    public init(_ expression: FetchExpression, as name: String, resultType: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.resultType = resultType
    }

    /// Creates a column from an expression in the predicate language, such as `salary * 12`.
    ///
    /// - Parameters:
    ///   - format: The expression, with placeholders.
    ///   - arguments: One value for each placeholder.
    /// - Throws: ``FetchPredicateError`` with the column of the format.
    public init(
        format: String, _ arguments: (any PredicateArgument)?..., as name: String,
        resultType: AttributeType? = nil
    ) throws(FetchPredicateError) {
        self.init(
            try FetchExpression(format: format, arguments: arguments), as: name,
            resultType: resultType)
    }

    /// The value of an attribute, or the ID of the object at the end of a to-one relationship.
    ///
    /// - Parameters:
    ///   - keyPath: The way along to-one relationships: `department.name`; `SELF` for the object.
    ///   - name: The name of the column; `nil` for the key path.
    public static func property(_ keyPath: String, as name: String? = nil) -> FetchColumn {
        FetchColumn(value(of: keyPath), as: name ?? keyPath)
    }

    /// The number of rows of a group.
    public static func count(as name: String = "count") -> FetchColumn {
        FetchColumn(FetchExpression(.function("count", [value(of: "SELF")])), as: name)
    }

    /// The number of rows of a group that have a value.
    ///
    /// - Parameter isDistinct: True if equal values count once.
    public static func count(
        _ keyPath: String, distinct isDistinct: Bool = false, as name: String? = nil
    ) -> FetchColumn {
        let argument = isDistinct ? distinct(value(of: keyPath)) : value(of: keyPath)
        return FetchColumn(
            FetchExpression(.function("count", [argument])), as: name ?? "count(\(keyPath))")
    }

    /// The sum of the values of a group; 0 without values.
    public static func sum(_ keyPath: String, as name: String? = nil) -> FetchColumn {
        reduction("sum", keyPath, name)
    }

    /// The mean of the values of a group.
    public static func average(_ keyPath: String, as name: String? = nil) -> FetchColumn {
        reduction("average", keyPath, name)
    }

    /// The least value of a group.
    public static func minimum(_ keyPath: String, as name: String? = nil) -> FetchColumn {
        reduction("min", keyPath, name)
    }

    /// The greatest value of a group.
    public static func maximum(_ keyPath: String, as name: String? = nil) -> FetchColumn {
        reduction("max", keyPath, name)
    }

    /// The relevance of an object to the search in the request's predicate. Greater is better.
    public static func relevance(as name: String = "relevance") -> FetchColumn {
        FetchColumn(FetchExpression(.path(nil, [.collectionOperator("relevance")])), as: name)
    }

    /// The part of a searchable attribute's text with most of the words that the search in the
    /// request's predicate has found.
    ///
    /// - Parameters:
    ///   - before: The text before each of these words.
    ///   - after: The text behind each of these words.
    ///   - ellipsis: The text in place of what is left out.
    ///   - wordCount: The greatest number of words, from 1 to 64.
    public static func snippet(
        _ keyPath: String, as name: String? = nil, before: String = "[", after: String = "]",
        ellipsis: String = "…", wordCount: Int = 16
    ) -> FetchColumn {
        let texts = [before, after, ellipsis].map {
            FetchExpression(.constant(.value(.string($0))))
        }
        let count = FetchExpression(.constant(.value(.integer(Int64(wordCount)))))
        return FetchColumn(
            FetchExpression(.function("snippet", [value(of: keyPath)] + texts + [count])),
            as: name ?? keyPath)
    }

    private static func reduction(
        _ function: String, _ keyPath: String, _ name: String?
    ) -> FetchColumn {
        FetchColumn(
            FetchExpression(.function(function, [value(of: keyPath)])),
            as: name ?? "\(function)(\(keyPath))")
    }

    private static func value(of keyPath: String) -> FetchExpression {
        keyPath.lowercased() == "self"
            ? FetchExpression(.evaluatedObject) : FetchExpression.keyPath(keyPath)
    }

    /// The distinct values of an expression over all rows of a group.
    private static func distinct(_ expression: FetchExpression) -> FetchExpression {
        let own: [PathStep] = if case .path(nil, let steps) = expression.form { steps } else { [] }
        return FetchExpression(.path(nil, [.collectionOperator("distinctUnionOfObjects")] + own))
    }
}

extension FetchColumn: ExpressibleByStringLiteral {
    /// Creates the column of a property from its key path.
    public init(stringLiteral keyPath: String) { self = .property(keyPath) }
}
