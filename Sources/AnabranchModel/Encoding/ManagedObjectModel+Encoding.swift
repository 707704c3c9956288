import AnabranchReplication

extension ManagedObjectModel {
    /// Reads a model from its canonical encoding, as a store keeps it.
    ///
    /// - Parameter bytes: Exactly one encoded model; any bytes are safe.
    /// - Throws: ``ModelError`` with the offset of what could not be read, or with what makes the
    ///   model unusable.
    public convenience init(canonicalEncoding bytes: [UInt8]) throws(ModelError) {
        try self.init(try ModelDecoder.decode(bytes))
    }
}

extension ManagedObjectModel: Hashable {
    /// Models are equal whose canonical encodings are: same entities, properties, names and
    /// settings, in whatever order they were declared.
    public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
        left === right || left.canonicalEncoding == right.canonicalEncoding
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(self.hash) }
}
