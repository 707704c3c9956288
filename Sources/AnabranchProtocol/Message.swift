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
        return writer.bytes
    }

    /// - Throws: `ProtocolError` with the offset; no input traps, nothing is allocated for what
    ///   is not there.
    public init(decoding bytes: [UInt8]) throws(ProtocolError) {
        var reader = ByteReader(bytes)
        do throws(ChangeSetDecodingError) {
            let version = try reader.readByte()
            guard version == SyncProtocol.version else {
                throw reader.failure(
                    .unsupportedVersion, "version \(version) of the protocol is not known here")
            }
            try self.init(from: &reader)
            try reader.expectEnd()
        } catch {
            throw ProtocolError(Self.title, error)
        }
    }
}

extension ByteWriter {
    /// A flag, then the value where there is one.
    mutating func append<Part>(_ part: Part?, _ write: (inout ByteWriter, Part) -> Void) {
        append(byte: part == nil ? 0 : 1)
        if let part { write(&self, part) }
    }
}

extension ByteReader {
    mutating func readOptional<Part>(
        _ read: (inout ByteReader) throws(ChangeSetDecodingError) -> Part
    ) throws(ChangeSetDecodingError) -> Part? {
        switch try readByte() {
        case 0: return nil
        case 1: return try read(&self)
        default: throw failure(.malformed, "a flag is neither 0 nor 1")
        }
    }

    mutating func readMilliseconds() throws(ChangeSetDecodingError) -> Int64 {
        Int64(bitPattern: try readFixed64())
    }
}
