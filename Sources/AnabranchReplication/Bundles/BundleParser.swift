/// Reads a bundle from bytes that come piece by piece and may be hostile.
///
/// It keeps what has come of one block and what is held at it, never the whole file. Whether the
/// bundle is whole is known only with ``Item/end(count:)``: act on nothing before that.
package struct BundleParser: ~Copyable {
    package enum Item: Sendable {
        case header(BundleHeader)
        /// With a context that names all that its author held.
        case changeSet(ChangeSet)
        /// Of a save in parts that comes later: an encoded payload.
        case part([UInt8])
        /// The digest was the one of all before it.
        case end(count: Int)
    }

    private enum Part { case magic, header, changeSets, end, over }

    private var part = Part.magic
    private var buffer: [UInt8] = []
    /// Of the buffer's first byte that was not read yet.
    private var position = 0
    /// Of the buffer's first byte in the bundle.
    private var start = 0
    private var digest = DigestBuilder()
    private var vector = BundleVector()
    private var setCount = 0
    private var mayHaveParts = false

    /// A set with the largest payload, and as many entries of a context as there may be.
    private static let largestBlock = max(
        Limits.largestChangeSet + 34 * Limits.longestContextVector + 64, Limits.largestPart + 1)

    package init() {}

    /// Of the next byte to be read, in the bundle.
    package var offset: Int { start + position }

    package mutating func feed(_ bytes: [UInt8]) {
        if position > 0 {
            buffer.removeFirst(position)
            start += position
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// - Returns: `nil` where more bytes are needed first.
    /// - Throws: ``ChangeSetDecodingError`` with the offset in the bundle.
    package mutating func next() throws(ChangeSetDecodingError) -> Item? {
        switch part {
        case .magic:
            guard try readMagic() else { return nil }
            return try next()
        case .header:
            guard let block = try takeBlock() else { return nil }
            part = .changeSets
            do throws(ChangeSetDecodingError) {
                return .header(try BundleHeader(decoding: block))
            } catch {
                throw error.moved(by: offset - block.count)
            }
        case .changeSets: return try nextSet()
        case .end: return try readEnd()
        case .over:
            guard position == buffer.count else {
                throw failure(.malformed, "bytes follow the end of the bundle")
            }
            return nil
        }
    }

    /// Says that no more bytes will come.
    ///
    /// - Throws: Where the bundle was cut.
    package func finish() throws(ChangeSetDecodingError) {
        guard part == .over else {
            throw ChangeSetDecodingError(
                code: .truncated, offset: start + buffer.count, cause: "the bundle ends")
        }
    }

    // MARK: - Parts

    private mutating func readMagic() throws(ChangeSetDecodingError) -> Bool {
        let magic = BundleHeader.magic
        let common = min(magic.count, buffer.count)
        guard buffer.prefix(common).elementsEqual(magic.prefix(common)) else {
            throw failure(.malformed, "it does not begin as a bundle does")
        }
        guard buffer.count > magic.count else { return false }
        mayHaveParts = buffer[magic.count] == BundleHeader.versionWithParts
        guard mayHaveParts || buffer[magic.count] == BundleHeader.version else {
            position = magic.count
            throw failure(
                .unsupportedVersion,
                "version \(buffer[magic.count]) of bundles is not known here")
        }
        read(magic.count + 1)
        part = .header
        return true
    }

    private mutating func nextSet() throws(ChangeSetDecodingError) -> Item? {
        guard position < buffer.count else { return nil }
        guard buffer[position] != 0 else {
            read(1)
            part = .end
            return try readEnd()
        }
        if mayHaveParts, try isAtPart() {
            return try takeBlock(without: 1).map { .part($0) }
        }
        guard let block = try takeBlock() else { return nil }
        do throws(ChangeSetDecodingError) {
            let set = try Self.changeSet(in: block, &vector)
            setCount += 1
            return .changeSet(set)
        } catch {
            throw error.moved(by: offset - block.count)
        }
    }

    private static func changeSet(
        in block: [UInt8], _ vector: inout BundleVector
    ) throws(ChangeSetDecodingError) -> ChangeSet {
        var reader = ByteReader(block)
        let bytes = try reader.readBlock()
        let first = reader.offset - bytes.count
        var set: ChangeSet
        do throws(ChangeSetDecodingError) {
            set = try ChangeSet(decoding: bytes)
        } catch {
            throw error.moved(by: first)
        }
        guard set.context == .empty else {
            throw reader.failure(.malformed, "\(set.dot) has a context of some log")
        }
        for change in try reader.readChanges() { vector.take(change) }
        try reader.expectEnd()
        guard vector.count <= Limits.longestContextVector else {
            throw reader.failure(.limitExceeded, "a context has \(vector.count) entries")
        }
        set.context = vector.context(of: set.dot.replica)
        return set
    }

    private mutating func readEnd() throws(ChangeSetDecodingError) -> Item? {
        guard let (count, length) = try varint(at: position),
            buffer.count - position >= length + Digest.byteCount
        else { return nil }
        read(length)
        let bytes = buffer[position..<position + Digest.byteCount]
        var finished = DigestBuilder()
        swap(&finished, &digest)
        guard finished.finish() == Digest(bytes: bytes) else {
            throw failure(.digestMismatch, "the bytes before are not those that were written")
        }
        guard count == UInt64(setCount) else {
            throw failure(.malformed, "the bundle has \(setCount) change sets, not \(count)")
        }
        position += Digest.byteCount
        part = .over
        return .end(count: setCount)
    }

    // MARK: - Bytes

    /// Goes on behind bytes, which the digest covers.
    private mutating func read(_ count: Int) {
        digest.update(buffer[position..<position + count])
        position += count
    }

    /// Whether the next block is a part, as far as its first byte has come.
    private func isAtPart() throws(ChangeSetDecodingError) -> Bool {
        guard let (length, prefix) = try varint(at: position), length > 0,
            buffer.count - position > prefix
        else { return false }
        return buffer[position + prefix] == 0
    }

    /// - Parameter skipped: Of the block's bytes, how many at its beginning are left out.
    /// - Returns: `nil` where not all of it has come.
    private mutating func takeBlock(
        without skipped: Int = 0
    ) throws(ChangeSetDecodingError) -> [UInt8]? {
        guard let (length, prefix) = try varint(at: position) else { return nil }
        guard length <= UInt64(Self.largestBlock) else {
            throw failure(.limitExceeded, "a block of \(length) bytes is too large")
        }
        guard buffer.count - position - prefix >= Int(length) else {
            // What has come of a large one is there once, not twice each time the buffer grows.
            if buffer.count - position > Int(length) / 2 {
                buffer.reserveCapacity(position + prefix + Int(length) + Self.feedBytes)
            }
            return nil
        }
        read(prefix + Int(length))
        let block = Array(buffer[position - Int(length) + skipped..<position])
        if block.count > Self.feedBytes {
            // Whoever works on the block needs the memory.
            start += position
            buffer = Array(buffer[position...])
            position = 0
        }
        return block
    }

    /// About what comes at one time.
    private static let feedBytes = 1 << 20

    private func varint(
        at position: Int
    ) throws(ChangeSetDecodingError) -> (value: UInt64, length: Int)? {
        let bytes = Array(buffer[position...].prefix(10))
        var reader = ByteReader(bytes)
        do throws(ChangeSetDecodingError) {
            let value = try reader.readVarint()
            return (value, reader.offset)
        } catch {
            if error.code == .truncated, bytes.count < 10 { return nil }
            throw error.moved(by: start + position)
        }
    }

    private func failure(
        _ code: ChangeSetDecodingError.Code, _ cause: String
    ) -> ChangeSetDecodingError {
        ChangeSetDecodingError(code: code, offset: offset, cause: cause)
    }
}

extension ChangeSetDecodingError {
    fileprivate func moved(by distance: Int) -> ChangeSetDecodingError {
        ChangeSetDecodingError(code: code, offset: offset + distance, cause: cause)
    }
}
