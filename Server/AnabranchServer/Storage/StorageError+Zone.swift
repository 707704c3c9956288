import AnabranchReplication

extension StorageError.Code {
    /// There is no such zone: create a token for it.
    package static let noSuchZone = Self(rawValue: "no-such-zone")
    /// A change set inserts a record that the zone holds: the change set is malformed.
    package static let recordHeld = Self(rawValue: "record-held")
    /// A change set makes a record larger than the limit, or gives it more values: its author must
    /// save smaller or fewer values.
    package static let recordTooLarge = Self(rawValue: "record-too-large")
    /// The zone has as many replicas as row keys can distinguish: create a new zone.
    package static let tooManyReplicas = Self(rawValue: "too-many-replicas")
    /// The target of a copy has another log: choose another target.
    package static let notACopy = Self(rawValue: "not-a-copy")
    /// Another process has removed a snapshot that was being written: ask for it again.
    package static let snapshotRemoved = Self(rawValue: "snapshot-removed")
}

extension StorageError {
    /// Runs a body that decodes stored bytes.
    ///
    /// Bytes of a client and bytes of the storage have the same codec. Damage of the storage must
    /// not look like an error of the change set that is merged, which would be rejected for good.
    ///
    /// - Parameter place: What is decoded, for the message.
    ///
    /// - Throws: ``StorageError`` `damaged`, or another error of the body.
    static func decoding<Result>(
        _ place: @autoclosure () -> String, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as ChangeSetDecodingError {
            throw StorageError(
                .damaged,
                "Can't read \(place()) because \(error.cause), at offset \(error.offset).")
        }
    }
}
