/// A property as change sets name it: by its wire name, type and merge rule. Two writes merge only
/// if all three are equal.
package struct WireProperty: Hashable, Sendable {
    /// The name that the property keeps through renames.
    package let name: WireName
    /// The type of the property's values.
    package let type: WireType
    /// The rule that merges concurrent writes.
    package let rule: MergeRule

    package init(name: WireName, type: WireType, rule: MergeRule = .lastWriter) {
        self.name = name
        self.type = type
        self.rule = rule
    }

    /// Indicates whether this version of the format can merge the property.
    ///
    /// Links merge as sets or lists, and a group by its own rule. Values of any other type, also of
    /// an unknown one, are registers by stamp: `lastWriter`, `firstWriter` or `keepBoth`. The rules
    /// `max` and `min` need a type with an order, `counter` one with an exact sum. No other pair of
    /// type and rule can be merged yet.
    package var isMergeable: Bool {
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

    /// Indicates whether this version can merge the value, which has the property's type. A value
    /// under a rule that compares or adds must be known to this version.
    func accepts(_ value: PropertyValue) -> Bool {
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

    /// Indicates whether `accepts(_:)` must check each value.
    var checksValues: Bool {
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
    /// Orders properties by the name's bytes, then type, then rule, as in the canonical form.
    package static func < (left: WireProperty, right: WireProperty) -> Bool {
        if left.name != right.name { return left.name < right.name }
        if left.type != right.type { return left.type.rawValue < right.type.rawValue }
        return left.rule.rawValue < right.rule.rawValue
    }
}

extension WireProperty: CustomStringConvertible {
    /// The name, followed by type and rule in parentheses.
    package var description: String { "\(name) (\(type), \(rule))" }
}

extension ByteWriter {
    /// Appends a property: its name, type and rule.
    package mutating func append(property: WireProperty) {
        append(string: property.name.string)
        append(byte: property.type.rawValue)
        append(byte: property.rule.rawValue)
    }
}

extension ByteReader {
    /// Reads a property: its name, type and rule. An unknown type or rule is accepted.
    package mutating func readProperty() throws(ChangeSetDecodingError) -> WireProperty {
        let name = WireName(try readName())
        let type = WireType(rawValue: try readByte())
        return WireProperty(name: name, type: type, rule: MergeRule(rawValue: try readByte()))
    }
}
