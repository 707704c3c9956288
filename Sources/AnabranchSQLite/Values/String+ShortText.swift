extension String {
    /// Creates a text from UTF-8 bytes; invalid bytes become U+FFFD.
    ///
    /// Swift stores up to 15 bytes in the string itself. Writing them into the string's own memory
    /// is faster than decoding.
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
