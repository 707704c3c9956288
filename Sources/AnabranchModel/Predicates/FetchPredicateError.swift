public import AnabranchReplication

/// An error in reading, resolving or evaluating a predicate, with its place in the format.
public struct FetchPredicateError: Error, Hashable, Sendable {
    /// The kind of problem, for programs.
    public struct Code: Hashable, Sendable {
        /// The name of the code, stable across versions.
        public let rawValue: String

        /// The format is empty: use ``FetchPredicate/true`` to match every object.
        package static let emptyPredicate = Code(rawValue: "empty-predicate")
        /// The format does not follow the grammar at the column.
        public static let syntax = Code(rawValue: "syntax")
        /// A quotation mark is not closed.
        package static let unterminatedString = Code(rawValue: "unterminated-string")
        /// A number cannot be read or does not fit.
        package static let invalidNumber = Code(rawValue: "invalid-number")
        /// A letter in brackets after an operator is none of `c`, `d`, `n`, `l`.
        package static let unknownOption = Code(rawValue: "unknown-option")
        /// No function has this name.
        package static let unknownFunction = Code(rawValue: "unknown-function")
        /// The format has more placeholders than there are arguments.
        package static let missingArgument = Code(rawValue: "missing-argument")
        /// There are more arguments than the format has placeholders.
        package static let unusedArgument = Code(rawValue: "unused-argument")
        /// An argument does not fit its placeholder.
        public static let invalidArgument = Code(rawValue: "invalid-argument")
        /// The predicate is nested too deeply: split it.
        package static let tooComplex = Code(rawValue: "too-complex")

        /// The entity has no property of this name.
        public static let unknownKey = Code(rawValue: "unknown-key")
        /// A key path continues after an attribute.
        package static let notARelationship = Code(rawValue: "not-a-relationship")
        /// A to-many relationship needs ANY, ALL, NONE or SUBQUERY.
        package static let quantifierNeeded = Code(rawValue: "quantifier-needed")
        /// ANY, ALL or NONE precedes an expression that is not to-many.
        package static let quantifierNotAllowed = Code(rawValue: "quantifier-not-allowed")
        /// A Swift key path is not a chain of stored properties: compare these, or filter the
        /// fetched objects.
        public static let notAProperty = Code(rawValue: "not-a-property")
        /// The property is transient, so the store has no value to compare.
        package static let notStored = Code(rawValue: "not-stored")
        /// The two sides can never be compared.
        public static let typeMismatch = Code(rawValue: "type-mismatch")
        /// IN or CONTAINS needs a collection in this place.
        public static let notACollection = Code(rawValue: "not-a-collection")
        /// BETWEEN needs a collection of two values.
        package static let twoValuesNeeded = Code(rawValue: "two-values-needed")
        /// A `$variable` has no value: substitute it first.
        public static let unboundVariable = Code(rawValue: "unbound-variable")
        /// No collection operator has this name.
        package static let unknownCollectionOperator = Code(rawValue: "unknown-collection-operator")
        /// The construct can be read and printed, and has no meaning for objects in a store: the
        /// message says why and what to write.
        public static let notEvaluable = Code(rawValue: "not-evaluable")
        /// A regular expression cannot be read.
        public static let invalidPattern = Code(rawValue: "invalid-pattern")
        /// An attribute or an object can't be searched for words, or there is no search by which
        /// objects have a relevance: the message says what to declare or to add.
        package static let notSearchable = Code(rawValue: "not-searchable")
        /// A query for words can't be read.
        public static let invalidQuery = Code(rawValue: "invalid-query")
        /// A list has more values than a statement can carry.
        package static let tooManyValues = Code(rawValue: "too-many-values")
    }

    /// The kind of problem.
    public let code: Code
    /// The problem and what to do, as a sentence.
    public let message: String
    /// The column in the format from 1, counted in Unicode scalars; `nil` without a format.
    public let column: Int?
    /// The name of the entity.
    public let entity: String?
    /// The key that the problem is about.
    public let key: String?

    /// Creates an error.
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

extension FetchPredicateError: CustomStringConvertible, DescribedError {
    /// The message with the column and the code.
    public var description: String {
        let place = column.map { " (column \($0), " } ?? " ("
        return "\(message)\(place)\(code.rawValue))"
    }
}
