extension ValidationError {
    /// What is wrong. Each has the number that Core Data has for it, in `NSCocoaErrorDomain`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// One of the model's validations does not hold: see `predicate`. Core Data's 1550.
        public static let failedRule = Code(rawValue: "failed-rule")
        /// Several failures: see `all`. Core Data's 1560.
        public static let multiple = Code(rawValue: "multiple")
        /// A property that is not optional has no value: set it. Core Data's 1570.
        public static let missingMandatoryProperty = Code(rawValue: "missing-mandatory-property")
        /// A relationship has fewer objects than the model demands. Core Data's 1580.
        public static let tooFewObjects = Code(rawValue: "too-few-objects")
        /// A relationship has more objects than the model allows. Core Data's 1590.
        public static let tooManyObjects = Code(rawValue: "too-many-objects")
        /// An object can't be deleted while others are related to it: delete those, too. Core
        /// Data's 1600.
        public static let deniedDelete = Code(rawValue: "denied-delete")
        /// A number is above the greatest that the model allows. Core Data's 1610.
        public static let numberTooLarge = Code(rawValue: "number-too-large")
        /// A number is below the least that the model allows. Core Data's 1620.
        public static let numberTooSmall = Code(rawValue: "number-too-small")
        /// A date is behind the last that the model allows. Core Data's 1630.
        public static let dateTooLate = Code(rawValue: "date-too-late")
        /// A date is before the first that the model allows. Core Data's 1640.
        public static let dateTooSoon = Code(rawValue: "date-too-soon")
        /// A date is no moment, since it is not a number of seconds. Core Data's 1650.
        public static let invalidDate = Code(rawValue: "invalid-date")
        /// A text has more UTF-16 units than the model allows. Core Data's 1660.
        public static let stringTooLong = Code(rawValue: "string-too-long")
        /// A text has fewer UTF-16 units than the model demands. Core Data's 1670.
        public static let stringTooShort = Code(rawValue: "string-too-short")
        /// A text does not match the model's regular expression as a whole. Core Data's 1680.
        public static let patternMismatch = Code(rawValue: "pattern-mismatch")
        /// A value does not fit the attribute's type or width. Core Data has no number for it: it
        /// refuses the value where it is set.
        public static let wrongType = Code(rawValue: "wrong-type")
        /// References that must not go round in a circle would: set one to another object. Core
        /// Data has nothing of the kind.
        public static let cyclicReference = Code(rawValue: "cyclic-reference")
        /// A hook of the object's class refuses it: see `underlying`, where the hook has thrown an
        /// error of the app's own.
        public static let refused = Code(rawValue: "refused")
    }
}
