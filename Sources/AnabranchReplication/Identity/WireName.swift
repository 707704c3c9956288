/// The name of an entity or a property on the wire: fixed by the model and kept when the model
/// renames it.
///
/// Wire names are compared and hashed by their UTF-8 bytes. `String` compares by canonical
/// equivalence, so two replicas with different Unicode tables could disagree on equal names.
@usableFromInline package struct WireName: Hashable, Sendable {
    @usableFromInline package let string: String

    @inlinable
    package init(_ string: String) { self.string = string }

    /// Compares the UTF-8 bytes.
    @inlinable
    package static func == (left: WireName, right: WireName) -> Bool {
        left.string.hasBytes(of: right.string)
    }

    /// Hashes the UTF-8 bytes.
    @inlinable
    package func hash(into hasher: inout Hasher) {
        var text = string
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension WireName: Comparable {
    /// Orders names by their UTF-8 bytes.
    @inlinable
    package static func < (left: WireName, right: WireName) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension WireName: ExpressibleByStringLiteral, CustomStringConvertible {
    @usableFromInline package init(stringLiteral value: String) { self.init(value) }
    @usableFromInline package var description: String { string }
}

extension String {
    /// Creates a text from its bytes; `nil` if they are not UTF-8.
    ///
    /// It is faster than `init(validating:as:)`, which asks the run time for types at each call.
    @inlinable
    package init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        // Bytes that are not UTF-8 are replaced, so the text has other bytes.
        var text = String(decoding: bytes, as: UTF8.self)
        let isSame = text.withUTF8 { $0.count == bytes.count && $0.elementsEqual(bytes) }
        guard isSame else { return nil }
        self = text
    }

    /// Compares the UTF-8 bytes.
    @inlinable
    package func hasBytes(of other: String) -> Bool {
        var (left, right) = (self, other)
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
    }
}
