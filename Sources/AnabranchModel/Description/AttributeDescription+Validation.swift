public import AnabranchReplication

extension AttributeDescription {
    /// The first reason why an object cannot be saved with this value; `nil`: it can.
    ///
    /// An absent value is checked against nothing but `isOptional`.
    public func violation(by value: Value) -> ValueViolation? {
        if value.isNull { return isOptional ? nil : .missing }
        guard type.accepts(value) else { return .wrongType }
        if !hasRestrictions { return nil }
        if case .string(let text) = value { return violation(by: text) }
        if let minimum = declaration.minimum, minimum.isGreater(than: value) {
            return .belowMinimum
        }
        if let maximum = declaration.maximum, value.isGreater(than: maximum) {
            return .aboveMaximum
        }
        return nil
    }

    private func violation(by text: String) -> ValueViolation? {
        let length = Int64(text.utf16.count)
        if case .integer(let minimum)? = declaration.minimum, length < minimum { return .tooShort }
        if case .integer(let maximum)? = declaration.maximum, length > maximum { return .tooLong }
        return expression?.matches(text) == false ? .mismatch : nil
    }
}
