package import AnabranchReplication

extension ResolvedRelation {
    func holds(_ left: PropertyValue, _ right: PropertyValue, _ options: ComparisonOptions) -> Bool
    {
        if left.isNull || right.isNull { return self == .equal && left.isNull && right.isNull }
        guard let order = ValueOrder.compare(left.folded(options), right.folded(options)) else {
            return false
        }
        return switch self {
        case .equal: order == .equal
        case .less: order == .less
        case .lessOrEqual: order != .greater
        case .greater: order == .greater
        case .greaterOrEqual: order != .less
        }
    }
}

extension TextRelation {
    /// Compares two texts by Unicode scalars.
    ///
    /// A missing text matches nothing. Every text contains, begins with and ends with the empty
    /// text.
    ///
    /// - Throws: ``FetchPredicateError`` for a regular expression that can't be read, or that takes
    ///   too many steps.
    func holds(
        _ left: PropertyValue, _ right: PropertyValue, _ options: ComparisonOptions
    ) throws(FetchPredicateError) -> Bool {
        guard let text = left.text, let part = right.text else { return false }
        switch self {
        case .like: return LikePattern(part, options: options).matches(text)
        case .matches: return try RegularExpression(part, options: options).matches(text)
        case .beginsWith, .endsWith, .contains: break
        }
        let whole = Array(TextFolding.fold(text, options: options).utf8)
        let sought = Array(TextFolding.fold(part, options: options).utf8)
        return switch self {
        case .beginsWith: whole.starts(with: sought)
        case .endsWith: whole.suffix(sought.count).elementsEqual(sought)
        case .contains, .like, .matches: sought.isEmpty || whole.contains(sought)
        }
    }
}

extension PropertyValue {
    /// The value that a text is compared by under some options; any other value stays.
    package func folded(_ options: ComparisonOptions) -> PropertyValue {
        guard !options.isEmpty, let text else { return self }
        if options.contains(.localeSensitive) { return .data(LocaleOrder.key(of: text, options)) }
        return .string(TextFolding.fold(text, options: options))
    }

    /// The text of a string or a URI.
    package var text: String? {
        switch self {
        case .string(let text), .uri(let text): text
        default: nil
        }
    }
}
