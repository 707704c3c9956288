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

    /// Whether this version of the format can merge the property.
    ///
    /// Links are sets or lists and a group has its own rule. Any other value, of a type that is not
    /// known here too, is a register by stamp: `lastWriter`, `firstWriter` or `keepBoth`. `max`
    /// and `min` need a type with an order, `counter` one with an exact sum. No other pair of type
    /// and rule has a meaning yet.
    public var isMergeable: Bool {
        switch type {
        case .links, .mutualLinks: return rule == .set || rule == .list
        case .group: return rule == .group
        default: break
        }
        switch rule {
        case .lastWriter, .firstWriter, .keepBoth: return true
        case .max, .min: return type.isOrdered
        case .counter: return type == .integer64 || type == .decimal
        default: return false
        }
    }

    /// Whether the value can be merged here, beyond being of the property's type: what is compared
    /// or added has to be understood.
    func accepts(_ value: Value) -> Bool {
        if let range = type.integers, case .integer(let number) = value, !range.contains(number) {
            return false
        }
        guard isMergeable, !value.isNull else { return true }
        switch rule {
        case .max, .min:
            if case .unknown = value { return false }
            return true
        case .counter: return Counter.counts(value, as: type)
        default: return true
        }
    }

    /// Whether ``accepts(_:)`` has to be asked for each value.
    var isPicky: Bool {
        type.integers != nil || rule == .max || rule == .min || rule == .counter
    }
}

extension WireType {
    fileprivate var isOrdered: Bool {
        switch self {
        case .bool, .integer16, .integer32, .integer64, .float, .double, .decimal, .string, .date:
            true
        default: false
        }
    }
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
