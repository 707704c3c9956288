public import AnabranchReplication
public import AnabranchStore

/// The reason why a losing value can't be restored. Nothing has changed when it is thrown.
public struct ConflictError: Error, Sendable {
    /// The kind of error, which also says what to do.
    public let code: Code
    /// The whole error as a sentence.
    public let message: String
    /// The conflict that was to be restored.
    public let conflict: ConflictEntry.ID
    /// The record that lost the value.
    public let record: RecordID
    /// The wire name of the record's entity.
    public let entity: String
    /// The wire name of the property that lost the value.
    public let property: String
    /// The error that caused this one, if there is one.
    public let underlying: (any Error)?

    init(
        _ code: Code, _ conflict: ConflictEntry, because cause: String,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.conflict = conflict.id
        record = conflict.record
        entity = conflict.entity
        property = conflict.property.name.string
        self.underlying = underlying
        message =
            "Can't restore \(conflict.entity).\(conflict.property.name.string) because "
            + cause
    }
}

extension ConflictError {
    /// The kind of a ``ConflictError``.
    public struct Code: Hashable, Sendable {
        /// The stable text form of the code.
        public let rawValue: String

        /// The record is deleted, in the context or in the store, and a deleted record never comes
        /// back. Insert a new object from ``ManagedObjectContext/discardedValues(of:)``.
        public static let recordDeleted = Code(rawValue: "record-deleted")
        /// The object to which the discarded value points is deleted. Set the relationship to
        /// another object.
        public static let targetDeleted = Code(rawValue: "target-deleted")
        /// The property's merge rule keeps another write, however late this one is. This is the
        /// case for the rules `firstWriter`, `max` and `min`, and for counters, where every write
        /// only adds.
        public static let cannotWin = Code(rawValue: "cannot-win")
        /// The model lacks the entity or the property, or has it with another type or merge rule.
        /// Open the store with the model of the replica that wrote the value.
        public static let unknownProperty = Code(rawValue: "unknown-property")
    }
}

extension ConflictError: CustomStringConvertible, DescribedError {
    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}
