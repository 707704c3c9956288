public import AnabranchReplication
public import AnabranchStore

/// Why a losing value can't be restored. Nothing has changed.
public struct ConflictError: Error, Sendable {
    public let code: Code
    public let message: String
    public let conflict: Conflict.ID
    /// Whose value was lost.
    public let record: RecordID
    /// By its wire name.
    public let entity: String
    /// By its wire name.
    public let property: String
    public let underlying: (any Error)?

    init(
        _ code: Code, _ conflict: Conflict, because cause: String,
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
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The record is deleted, here or in the store, and a deleted record never comes back:
        /// make a new one of ``ManagedObjectContext/lostValues(of:)``.
        public static let recordDeleted = Code(rawValue: "record-deleted")
        /// The object that the lost value led to is deleted: set the relationship to another one.
        public static let targetDeleted = Code(rawValue: "target-deleted")
        /// The property's merge rule lets another write stay, however late this one comes: of
        /// `firstWriter`, `max` and `min`, and of a counter, which only adds.
        public static let cannotWin = Code(rawValue: "cannot-win")
        /// The model lacks the entity or the property, or has it with another type or rule: open
        /// the store with the model of the replica that wrote it.
        public static let unknownProperty = Code(rawValue: "unknown-property")
    }
}

extension ConflictError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
