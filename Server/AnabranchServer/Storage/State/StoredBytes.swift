import AnabranchReplication
import Foundation

/// An encoded value of a cell, or a value that is too large to be copied for its encoding.
struct StoredBytes: Hashable, Sendable {
    /// The whole encoding, or the tag and the length of a large value.
    private let head: ArraySlice<UInt8>
    /// The content of a large value, which follows `head`.
    private let content: Data?

    init(_ bytes: ArraySlice<UInt8>) {
        head = bytes
        content = nil
    }

    /// Keeps a large value without copying it; `nil` for a small value.
    init?(large value: PropertyValue) {
        switch value {
        case .data(let data) where data.count >= Self.leastLarge: content = data
        case .string(let text) where text.utf8.count >= Self.leastLarge,
            .uri(let text) where text.utf8.count >= Self.leastLarge:
            content = Data(text.utf8)
        default: return nil
        }
        var writer = ByteWriter()
        writer.append(byte: value.tag)
        writer.append(count: content?.count ?? 0)
        head = writer.bytes[...]
    }

    private static let leastLarge = 1 << 20

    var count: Int { head.count + (content?.count ?? 0) }

    /// The value's tag on the wire.
    var tag: UInt8? { head.first }

    /// Writes the encoding; a large value is not copied.
    func write(to writer: inout ByteWriter) {
        writer.append(slice: head)
        if let content { writer.append(contentsOf: content) }
    }

    /// Decodes the value.
    ///
    /// - Parameter replica: Returns the replica with an ordinal.
    func value(replica: (Int64) throws -> ReplicaID) throws -> PropertyValue {
        guard let content else { return try StoredValue.value(decoding: head, replica: replica) }
        if tag == ValueTag.data { return .data(content) }
        let text = String(decoding: content, as: UTF8.self)
        return tag == ValueTag.uri ? .uri(text) : .string(text)
    }
}
