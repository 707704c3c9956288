/// Writes a bundle piece by piece, so that no more than one change set is in memory.
package struct BundleEncoder: ~Copyable {
    private var digest = DigestBuilder()
    private var vector = BundleVector()
    private var setCount = 0

    package init() {}

    /// The first piece.
    ///
    /// - Parameter hasParts: Whether there may be parts of saves in the bundle.
    package mutating func begin(_ header: BundleHeader, hasParts: Bool = false) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(raw: BundleHeader.magic)
        writer.append(byte: hasParts ? BundleHeader.versionWithParts : BundleHeader.version)
        writer.append(block: header.encoded())
        return counted(writer.bytes)
    }

    /// The next piece.
    ///
    /// - Parameter set: Its context names no prefix of a log but all that its author held. Every
    ///   set comes behind those of the bundle that its author held.
    package mutating func append(_ set: ChangeSet) -> [UInt8] {
        precondition(set.context.prefix == nil, "a set in a bundle needs no log")
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

    /// The next piece: what stands before a part of a save that comes later in the bundle. All
    /// of the part follows, by ``append(piece:)``.
    package mutating func begin(_ part: SavePart) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 12)
        writer.append(count: part.byteCount + 1)
        // In the place of a change set, nothing.
        writer.append(byte: 0)
        return counted(writer.bytes)
    }

    /// The next piece: the next bytes of the part that was begun.
    package mutating func append(piece bytes: [UInt8]) -> [UInt8] { counted(bytes) }

    /// The last piece.
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
