/// Writes a bundle piece by piece, so that no more than one change set is in memory.
///
/// The caller writes the returned pieces to the file in the order of the calls.
package struct BundleEncoder: ~Copyable {
    private var digest = DigestBuilder()
    private var vector = BundleVector()
    private var setCount = 0

    /// Creates an encoder for one bundle, which begins with `begin(_:hasParts:)`.
    package init() {}

    /// Encodes the beginning of the bundle: magic bytes, version and header.
    ///
    /// - Parameter hasParts: Whether the bundle may contain parts of saves, which needs version 2.
    package mutating func begin(_ header: BundleHeader, hasParts: Bool = false) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(raw: BundleHeader.magic)
        writer.append(byte: hasParts ? BundleHeader.versionWithParts : BundleHeader.version)
        writer.append(block: header.encoded())
        return counted(writer.bytes)
    }

    /// Encodes the next change set.
    ///
    /// - Parameter set: A change set that has a context without prefix: it names every head that
    ///   its author held. A change set must follow those change sets of the bundle that its author
    ///   held.
    package mutating func append(_ set: ChangeSet) -> [UInt8] {
        precondition(
            set.context.prefix == nil, "the context of a change set in a bundle must have no prefix"
        )
        var bare = set
        bare.context = .empty
        var body = ByteWriter(reservingCapacity: set.payload.count + 256)
        body.append(block: bare.encoded())
        body.append(changes: vector.changes(to: set.context, of: set.dot.replica))
        setCount += 1
        var writer = ByteWriter(reservingCapacity: body.count + 10)
        writer.append(block: body.bytes)
        return counted(writer.bytes)
    }

    /// Encodes the beginning of a part of a save. All bytes of the part follow, through
    /// `append(piece:)`, and the change set that lists the part comes later in the bundle.
    package mutating func begin(_ part: SavePart) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 12)
        writer.append(count: part.byteCount + 1)
        // The byte 0 stands where the length of an encoded change set would stand, and marks a
        // part.
        writer.append(byte: 0)
        return counted(writer.bytes)
    }

    /// Encodes the next bytes of the part that was begun last.
    package mutating func append(piece bytes: [UInt8]) -> [UInt8] { counted(bytes) }

    /// Encodes the end of the bundle: the number of change sets and the digest of all bytes before
    /// it.
    package consuming func finish() -> [UInt8] {
        var writer = ByteWriter()
        writer.append(byte: 0)
        writer.append(count: setCount)
        let end = writer.bytes
        digest.update(end)
        return end + digest.finish().bytes
    }

    private mutating func counted(_ piece: [UInt8]) -> [UInt8] {
        digest.update(piece)
        return piece
    }
}
