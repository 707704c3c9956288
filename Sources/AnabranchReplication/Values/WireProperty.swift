/// A property as it travels: what merges with what.
public struct WireProperty: Hashable, Sendable {
    public let name: WireName
    public let type: WireType
    public let rule: MergeRule

    public init(name: WireName, type: WireType, rule: MergeRule = .lastWriter) {
        self.name = name
        self.type = type
        self.rule = rule
    }

    /// Whether this version of the format can merge the property: links as sets, everything else
    /// as registers. No other pair of type and rule has a meaning yet.
    public var isMergeable: Bool { rule == (type.isLinks ? .set : .lastWriter) }
}

extension WireProperty: Comparable {
    /// By the name's bytes, then type, then rule: the order of the canonical form.
    public static func < (left: WireProperty, right: WireProperty) -> Bool {
        if left.name != right.name { return left.name < right.name }
        if left.type != right.type { return left.type.rawValue < right.type.rawValue }
        return left.rule.rawValue < right.rule.rawValue
    }
}

extension WireProperty: CustomStringConvertible {
    public var description: String { "\(name) (\(type), \(rule))" }
}
