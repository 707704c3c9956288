/// A reason why an object cannot be saved with an attribute's value.
package enum ValueViolation: Hashable, Sendable {
    /// The value is missing and the attribute is not optional.
    case missing
    /// The value is of another type, or outside the range of the attribute's type.
    case wrongType
    /// The number of seconds of a date is NaN.
    case invalidDate
    /// The value is below the minimum. NaN violates every bound and is reported as this if there is
    /// a minimum.
    case belowMinimum
    /// The value is above the maximum.
    case aboveMaximum
    /// A text has fewer UTF-16 units than the minimum.
    case tooShort
    /// A text has more UTF-16 units than the maximum.
    case tooLong
    /// A text does not match the regular expression as a whole.
    case mismatch
    /// One of the attribute's validations does not hold.
    case failedRule(ValidationRule)
}
