extension String {
    /// The text of UTF-8 bytes; what is not UTF-8 becomes U+FFFD.
    ///
    /// Swift keeps up to 15 bytes in the string itself. Its initializers make such a string by
    /// way of memory and several calls, which was 8 % of a fetch; the two words of an ASCII one
    /// are known here, so they are put together in registers, in half the time. How Swift
    /// lays out strings is no promise on Linux: where ``ShortText/isAsExpected`` finds another
    /// layout, and for every other text, the initializers are used.
    @usableFromInline
    init(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        #if _pointerBitWidth(_64) && _endian(little)
            if bytes.count <= ShortText.greatestCount, ShortText.isAsExpected,
                let short = ShortText(bytes)
            {
                self = short.string
                return
            }
        #endif
        self = String(decoding: bytes, as: UTF8.self)
    }
}

#if _pointerBitWidth(_64) && _endian(little)
    /// The two words of a string of up to 15 ASCII bytes: the first eight bytes, then seven more
    /// and, in the highest byte, the mark of such strings with the count.
    private struct ShortText {
        private let words: (UInt64, UInt64)

        static let greatestCount = 15

        /// Whether Swift's own strings of every such length look the same.
        static let isAsExpected: Bool = {
            guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else {
                return false
            }
            return (0...greatestCount).allSatisfy { count in
                let bytes = [UInt8](UInt8(ascii: "A")..<UInt8(ascii: "A") + UInt8(count))
                let words = unsafeBitCast(
                    String(decoding: bytes, as: UTF8.self), to: (UInt64, UInt64).self)
                return bytes.withUnsafeBufferPointer { ShortText($0).map { $0.words == words } }
                    ?? false
            }
        }()

        /// - Parameter bytes: At most 15.
        /// - Returns: `nil` where they are not all ASCII.
        @inline(__always)
        init?(_ bytes: UnsafeBufferPointer<UInt8>) {
            let raw = UnsafeRawBufferPointer(bytes)
            let count = raw.count
            var first: UInt64 = 0
            var second: UInt64 = 0
            // Loads that overlap read any count without a loop and nothing beyond the end.
            if count >= 8 {
                first = raw.loadUnaligned(as: UInt64.self)
                second = raw.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
                second = second >> UInt64((16 - count) * 8)
            } else if count >= 4 {
                let tail = raw.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
                first = UInt64(raw.loadUnaligned(as: UInt32.self))
                first |= UInt64(tail) << UInt64((count - 4) * 8)
            } else {
                for index in 0..<count { first |= UInt64(raw[index]) << UInt64(index * 8) }
            }
            if (first | second) & 0x8080_8080_8080_8080 != 0 { return nil }
            words = (first, second | UInt64(0xE0 | count) << 56)
        }

        @inline(__always)
        var string: String { unsafeBitCast(words, to: String.self) }
    }
#endif
