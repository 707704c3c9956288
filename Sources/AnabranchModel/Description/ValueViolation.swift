/// Why an attribute cannot be saved with a value.
public enum ValueViolation: Hashable, Sendable {
    /// There is no value and the attribute is not optional.
    case missing
    /// The value is of another type, or outside the range of the attribute's type.
    case wrongType
    case belowMinimum
    case aboveMaximum
    /// A text has fewer UTF-16 units than the minimum.
    case tooShort
    /// A text has more UTF-16 units than the maximum.
    case tooLong
    /// A text does not match the regular expression as a whole.
    case mismatch
}
