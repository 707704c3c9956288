extension String {
    /// The text of UTF-8 bytes; what is not UTF-8 becomes U+FFFD.
    ///
    /// Swift keeps up to 15 bytes in the string itself, and makes such a string faster where it is
    /// handed the place to write to.
    @usableFromInline
    init(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count <= Self.greatestShortCount else {
            self = String(decoding: bytes, as: UTF8.self)
            return
        }
        self.init(unsafeUninitializedCapacity: Self.greatestShortCount) { place in
            _ = place.initialize(fromContentsOf: bytes)
            return bytes.count
        }
    }

    private static let greatestShortCount = 15
}
