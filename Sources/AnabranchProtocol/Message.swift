public import AnabranchReplication

/// A body of the protocol.
public protocol Message: Sendable, Hashable {
    /// For error messages: "hello request".
    static var title: String { get }
    init(from reader: inout ByteReader) throws(ChangeSetDecodingError)
    func write(to writer: inout ByteWriter)
}

extension Message {
    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.append(byte: SyncProtocol.version)
        write(to: &writer)
        return MessageSeal.sealing(writer.bytes)
    }

    /// - Throws: `ProtocolError` with the offset; no input traps, nothing is allocated for what
    ///   is not there.
    public init(decoding bytes: [UInt8]) throws(ProtocolError) {
        let body = Array(bytes.dropLast(MessageSeal.byteCount))
        var reader = ByteReader(body)
        do throws(ChangeSetDecodingError) {
            let version = try reader.readByte()
            guard version == SyncProtocol.version else {
                throw reader.failure(
                    .unsupportedVersion, "version \(version) of the protocol is not known here")
            }
            guard MessageSeal.isWhole(body, sealedBy: bytes) else {
                throw reader.failure(.digestMismatch, "the bytes are not those that were sent")
            }
            try self.init(from: &reader)
            try reader.expectEnd()
        } catch {
            throw ProtocolError(Self.title, error)
        }
    }
}

/// Times as peers exchange them, so bounded that no difference between two overflows.
private let wallClockMilliseconds: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

extension ByteWriter {
    /// A flag, then the value where there is one.
    mutating func append<Part>(_ part: Part?, _ write: (inout ByteWriter, Part) -> Void) {
        append(byte: part == nil ? 0 : 1)
        if let part { write(&self, part) }
    }

    /// A clock that is set beyond the bounds counts as set to the nearer of them.
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
