/// Why a predicate cannot be read, used on an entity or evaluated, and where in its format.
public struct FetchPredicateError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The format is empty: use ``FetchPredicate/true`` where everything is wanted.
        public static let emptyPredicate = Code(rawValue: "empty-predicate")
        /// The format does not follow the grammar at the column.
        public static let syntax = Code(rawValue: "syntax")
        /// A quotation mark is not closed.
        public static let unterminatedString = Code(rawValue: "unterminated-string")
        /// A number cannot be read or does not fit.
        public static let invalidNumber = Code(rawValue: "invalid-number")
        /// A letter in brackets after an operator is none of `c`, `d`, `n`, `l`.
        public static let unknownOption = Code(rawValue: "unknown-option")
        /// No function has this name.
        public static let unknownFunction = Code(rawValue: "unknown-function")
        /// The format has more placeholders than there are arguments.
        public static let missingArgument = Code(rawValue: "missing-argument")
        /// There are more arguments than the format has placeholders.
        public static let unusedArgument = Code(rawValue: "unused-argument")
        /// An argument does not fit its placeholder.
        public static let invalidArgument = Code(rawValue: "invalid-argument")
        /// The predicate is nested too deeply: split it.
        public static let tooComplex = Code(rawValue: "too-complex")

        /// The entity has no property of this name.
        public static let unknownKey = Code(rawValue: "unknown-key")
        /// A key path goes on behind an attribute.
        public static let notARelationship = Code(rawValue: "not-a-relationship")
        /// A to-many relationship stands without ANY, ALL, NONE or SUBQUERY.
        public static let quantifierNeeded = Code(rawValue: "quantifier-needed")
        /// ANY, ALL or NONE stands before something that is not to-many.
        public static let quantifierNotAllowed = Code(rawValue: "quantifier-not-allowed")
        /// The property is transient, so a store has nothing to compare.
        public static let notStored = Code(rawValue: "not-stored")
        /// The two sides can never be compared.
        public static let typeMismatch = Code(rawValue: "type-mismatch")
        /// IN or CONTAINS needs a collection there.
        public static let notACollection = Code(rawValue: "not-a-collection")
        /// BETWEEN needs a collection of two values.
        public static let twoValuesNeeded = Code(rawValue: "two-values-needed")
        /// A `$variable` has no value: substitute it first.
        public static let unboundVariable = Code(rawValue: "unbound-variable")
        /// No collection operator has this name.
        public static let unknownCollectionOperator = Code(rawValue: "unknown-collection-operator")
        /// The construct is read and printed, and not evaluated yet.
        public static let notSupportedYet = Code(rawValue: "not-supported-yet")
        /// A list is longer than a statement can carry.
        public static let tooManyValues = Code(rawValue: "too-many-values")
    }

    public let code: Code
    /// What is wrong and what to do, as a sentence.
    public let message: String
    /// Where in the format, from 1, counted in Unicode scalars; `nil` where there was no format.
    public let column: Int?
    public let entity: String?
    public let key: String?

    public init(
        _ code: Code, column: Int? = nil, entity: String? = nil, key: String? = nil,
        _ message: String
    ) {
        self.code = code
        self.message = message
        self.column = column
        self.entity = entity
        self.key = key
    }
}

extension FetchPredicateError: CustomStringConvertible {
    public var description: String {
        let place = column.map { " (column \($0), " } ?? " ("
        return "\(message)\(place)\(code.rawValue))"
    }
}
