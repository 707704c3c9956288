package import AnabranchReplication

extension AttributeDescription {
    /// The first reason why an object cannot be saved with this value; `nil` if it can.
    package func violation(by value: PropertyValue) -> ValueViolation? {
        violations(by: value).first
    }

    /// Every reason why an object cannot be saved with this value.
    ///
    /// A missing value is checked only against `isOptional`, and a value of another type only
    /// against the type.
    package func violations(by value: PropertyValue) -> [ValueViolation] {
        if value.isNull { return isOptional ? [] : [.missing] }
        guard type.accepts(value) else { return [.wrongType] }
        if value.isNoMoment { return [.invalidDate] }
        guard hasRestrictions else { return [] }
        let compiled = (graph as? ValidatingGraph)?.rules(of: self)
        var found: [ValueViolation] =
            if case .string(let text) = value {
                violations(by: text, matching: compiled?.expression)
            } else {
                boundViolation(by: value).map { [$0] } ?? []
            }
        for (rule, predicate) in compiled?.rules ?? [] where !predicate.holds(for: value) {
            found.append(.failedRule(rule))
        }
        return found
    }

    private func boundViolation(by value: PropertyValue) -> ValueViolation? {
        if case .double(let number) = value, number.isNaN {
            if declaration.minimum != nil { return .belowMinimum }
            return declaration.maximum == nil ? nil : .aboveMaximum
        }
        if let minimum = declaration.minimum, minimum.isGreater(than: value) {
            return .belowMinimum
        }
        if let maximum = declaration.maximum, value.isGreater(than: maximum) {
            return .aboveMaximum
        }
        return nil
    }

    private func violations(
        by text: String, matching expression: RegularExpression?
    ) -> [ValueViolation] {
        var found: [ValueViolation] = []
        let length = Int64(text.utf16.count)
        if case .integer(let minimum)? = declaration.minimum, length < minimum {
            found.append(.tooShort)
        }
        if case .integer(let maximum)? = declaration.maximum, length > maximum {
            found.append(.tooLong)
        }
        // A text for which the search takes too many steps is refused too.
        if let expression, (try? expression.matches(text)) != true { found.append(.mismatch) }
        return found
    }
}

extension PropertyValue {
    /// True for a date with NaN as its number of seconds.
    package var isNoMoment: Bool {
        if case .date(let seconds) = self { seconds.isNaN } else { false }
    }
}
