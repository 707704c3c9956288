/// Why an attribute cannot be saved with a value.
public enum ValueViolation: Hashable, Sendable {
    /// There is no value and the attribute is not optional.
    case missing
    /// The value is of another type, or outside the range of the attribute's type.
    case wrongType
    /// A date that is not a number of seconds is no moment.
    case invalidDate
    /// Below the least value; so is what is not a number, which lies within no bounds.
    case belowMinimum
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
