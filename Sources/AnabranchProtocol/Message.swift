package import AnabranchReplication

/// The body of a request or a response of the protocol.
package protocol Message: Sendable, Hashable {
    /// Reads the fields of the message, without version and seal.
    ///
    /// - Throws: `ChangeSetDecodingError` with the offset of the first byte that could not be read.
    init(from reader: inout ByteReader) throws(ChangeSetDecodingError)
    /// Writes the fields of the message, without version and seal.
    func write(to writer: inout ByteWriter)
    /// About the number of bytes that ``write(to:)`` writes, so that a large message is written
    /// without moving it.
    var expectedByteCount: Int { get }
}

extension Message {
    /// The name of the message for errors: "hello request" for ``HelloRequest``.
    package static var title: String {
        String(describing: Self.self).reduce(into: "") { title, letter in
            title += letter.isUppercase && !title.isEmpty ? " " : ""
            title += letter.lowercased()
        }
    }

    /// A message of a few fields.
    package var expectedByteCount: Int { 128 }

    /// Encodes the message with version and seal.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: expectedByteCount + 128)
        writer.append(byte: SyncProtocol.version)
        write(to: &writer)
        writer.append(raw: MessageChecksum.seal(of: Digest(of: writer)))
        return writer.bytes
    }

    /// Decodes a message with version and seal.
    ///
    /// Every length is checked before anything is allocated; no input can trap.
    ///
    /// - Throws: ``ProtocolError`` with the offset of the first byte that could not be read. Its
    ///   code is `unsupportedVersion` for a later version, otherwise `malformedRequest`.
    package init(decoding bytes: [UInt8]) throws(ProtocolError) {
        let body = bytes.dropLast(MessageChecksum.byteCount)
        var reader = ByteReader(bytes, upTo: body.count)
        do throws(ChangeSetDecodingError) {
            let version = try reader.readByte()
            guard version == SyncProtocol.version else {
                throw reader.failure(
                    .unsupportedVersion,
                    "this version does not know version \(version) of the protocol")
            }
            guard MessageChecksum.isWhole(body, sealedBy: bytes) else {
                throw reader.failure(.digestMismatch, "the message was damaged in transit")
            }
            try self.init(from: &reader)
            try reader.expectEnd()
        } catch {
            throw ProtocolError(Self.title, error)
        }
    }
}

/// The range of times in messages, in milliseconds since 1970. No difference between two of them
/// overflows.
private let wallClockMilliseconds: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

extension ByteWriter {
    /// Appends a flag, and the value if there is one.
    mutating func append<Part>(_ part: Part?, _ write: (inout ByteWriter, Part) -> Void) {
        append(byte: part == nil ? 0 : 1)
        if let part { write(&self, part) }
    }

    /// Appends a time. A time out of range becomes the nearest one in range.
    mutating func append(milliseconds: Int64) {
        let bounds = wallClockMilliseconds
        let clamped = min(max(milliseconds, bounds.lowerBound), bounds.upperBound)
        append(fixed64: UInt64(bitPattern: clamped))
    }
}

extension ByteReader {
    mutating func readOptional<Part>(
        _ read: (inout ByteReader) throws(ChangeSetDecodingError) -> Part
    ) throws(ChangeSetDecodingError) -> Part? {
        try readFlag() ? try read(&self) : nil
    }

    mutating func readMilliseconds() throws(ChangeSetDecodingError) -> Int64 {
        let milliseconds = Int64(bitPattern: try readFixed64())
        guard wallClockMilliseconds.contains(milliseconds) else {
            throw failure(.limitExceeded, "a time is not within ±2^53 ms of 1970")
        }
        return milliseconds
    }
}
