import AnabranchReplication

extension ManagedObjectModel {
    /// Reads a model from its canonical encoding, as a store keeps it.
    ///
    /// - Parameter bytes: Exactly one encoded model; any bytes are safe.
    ///
    /// - Throws: ``ModelError`` with the offset of the first unreadable byte, or with every problem
    ///   that makes the model unusable.
    public convenience init(canonicalEncoding bytes: [UInt8]) throws(ModelError) {
        try self.init(try ModelEncoding.decode(bytes))
    }
}

extension ManagedObjectModel: Hashable {
    /// Returns true if the canonical encodings are equal.
    ///
    /// The models then have the same entities, properties, names and settings.
    public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
        left === right || left.canonicalEncoding == right.canonicalEncoding
    }

    /// Hashes the hash of the canonical encoding.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.hash) }
}
