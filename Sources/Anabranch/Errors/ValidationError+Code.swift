extension ValidationError {
    /// The kind of a ``ValidationError``. Where Core Data has the same error, its number in
    /// `NSCocoaErrorDomain` is given.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The stable text form of the code.
        public let rawValue: String
        /// Creates a code from its text form.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A validation predicate of the model does not hold. See `predicate`. Core Data's 1550.
        public static let failedRule = Code(rawValue: "failed-rule")
        /// There are several failures. See `all`. Core Data's 1560.
        public static let multiple = Code(rawValue: "multiple")
        /// A mandatory property has no value. Set it. Core Data's 1570.
        public static let missingMandatoryProperty = Code(rawValue: "missing-mandatory-property")
        /// A relationship has fewer objects than the model demands. Core Data's 1580.
        public static let tooFewObjects = Code(rawValue: "too-few-objects")
        /// A relationship has more objects than the model allows. Core Data's 1590.
        public static let tooManyObjects = Code(rawValue: "too-many-objects")
        /// An object can't be deleted while a relationship with the delete rule deny points to
        /// other objects. Delete these too. Core Data's 1600.
        public static let deniedDelete = Code(rawValue: "denied-delete")
        /// A number is greater than the model's maximum. Core Data's 1610.
        public static let numberTooLarge = Code(rawValue: "number-too-large")
        /// A number is less than the model's minimum. Core Data's 1620.
        public static let numberTooSmall = Code(rawValue: "number-too-small")
        /// A date is later than the model's maximum. Core Data's 1630.
        public static let dateTooLate = Code(rawValue: "date-too-late")
        /// A date is earlier than the model's minimum. Core Data's 1640.
        public static let dateTooSoon = Code(rawValue: "date-too-soon")
        /// A date is not a finite number of seconds. Core Data's 1650.
        public static let invalidDate = Code(rawValue: "invalid-date")
        /// A string has more UTF-16 code units than the model allows. Core Data's 1660.
        public static let stringTooLong = Code(rawValue: "string-too-long")
        /// A string has fewer UTF-16 code units than the model demands. Core Data's 1670.
        public static let stringTooShort = Code(rawValue: "string-too-short")
        /// A string does not match the model's regular expression as a whole. Core Data's 1680.
        public static let patternMismatch = Code(rawValue: "pattern-mismatch")
        /// A value does not fit the attribute's type or width. Core Data has no number for it,
        /// because it refuses such a value in the setter.
        public static let wrongType = Code(rawValue: "wrong-type")
        /// References of an acyclic relationship would form a cycle. Set one of them to another
        /// object. Core Data has no counterpart.
        public static let cyclicReference = Code(rawValue: "cyclic-reference")
        /// A hook of the object's class refuses the object. See `underlying` if the hook threw an
        /// error of the app.
        public static let refused = Code(rawValue: "refused")
    }
}
