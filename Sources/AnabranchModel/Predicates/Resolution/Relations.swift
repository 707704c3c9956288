import AnabranchReplication

extension ResolvedRelation {
    func holds(_ left: Value, _ right: Value, _ options: ComparisonOptions) -> Bool {
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
    func holds(_ left: Value, _ right: Value, _ options: ComparisonOptions) -> Bool {
        guard let text = left.text, let part = right.text else { return false }
        if self == .like { return LikePattern(part, options: options).matches(text) }
        let whole = Array(TextFolding.fold(text, options: options).utf8)
        let sought = Array(TextFolding.fold(part, options: options).utf8)
        return switch self {
        case .beginsWith: whole.starts(with: sought)
        case .endsWith: whole.suffix(sought.count).elementsEqual(sought)
        case .contains, .like: sought.isEmpty || whole.contains(sought)
        }
    }
}

extension Value {
    fileprivate func folded(_ options: ComparisonOptions) -> Value {
        guard !options.isEmpty, let text else { return self }
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
