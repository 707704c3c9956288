extension WireType {
    /// True if every value of another type is shown as a value of this one, when an attribute has
    /// changed its type in a later version of the model.
    ///
    /// - A wider integer, a double or a decimal shows integers. A double shows the nearest number
    ///   of an integer beyond 2^53; the integer itself stays in the state.
    /// - A double shows floats.
    /// - A text shows the printed form of every attribute.
    package func widens(_ other: WireType) -> Bool {
        switch (other, self) {
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
        case (.integer16, .double), (.integer32, .double), (.integer64, .double): true
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): true
        case (.float, .double): true
        case (.bool, .string), (.date, .string), (.data, .string), (.uuid, .string),
            (.uri, .string), (.integer16, .string), (.integer32, .string), (.integer64, .string),
            (.float, .string), (.double, .string), (.decimal, .string):
            true
        default: false
        }
    }

    /// True if the type is that of an attribute outside a group, and known to this version.
    var isAttribute: Bool { self == .string || WireType.string.widens(self) }

    /// The value of another type as this type shows it.
    ///
    /// - Returns: `nil` if this type does not show it, as a value of a later format.
    package func widened(_ value: PropertyValue, of other: WireType) -> PropertyValue? {
        guard self == other || widens(other) else { return nil }
        if case .unknown = value { return nil }
        if self == other || value.isNull { return value }
        if self == .string { return value.printedForm(as: other).map(PropertyValue.string) }
        switch (self, value) {
        case (.integer32, .integer), (.integer64, .integer), (.double, .double): return value
        case (.double, .integer(let number)): return .double(Double(number))
        case (.decimal, .integer(let number)): return .decimal(ExactDecimal(number))
        default: return nil
        }
    }
}
