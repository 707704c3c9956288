/// Reads a bundle from bytes that come piece by piece and may be hostile.
///
/// The parser keeps the bytes of one block and the current context, never the whole file. Only
/// `Item.end(count:)` proves that the bundle is complete and undamaged: store nothing before it.
package struct BundleParser: ~Copyable {
    /// One element of a bundle.
    package enum Item: Sendable {
        /// The header, which is the first item.
        case header(BundleHeader)
        /// A change set, with a context that names every head that its author held.
        case changeSet(ChangeSet)
        /// A part of a save in parts: an encoded payload. The change set that lists it comes later.
        case part([UInt8])
        /// The end of the bundle. The digest and the number of change sets were compared and agree.
        case end(count: Int)
    }

    private enum Part { case magic, header, changeSets, end, finished }

    private var part = Part.magic
    private var buffer: [UInt8] = []
    /// The index in `buffer` of the first byte that was not read yet.
    private var position = 0
    /// The offset in the bundle of the first byte of `buffer`.
    private var start = 0
    private var digest = DigestBuilder()
    private var vector = BundleVector()
    private var setCount = 0
    private var mayHaveParts = false

    /// The greatest accepted length of a block: a change set with the largest payload and the
    /// longest context, or the largest part.
    private static let largestBlock = max(
        Limits.largestChangeSet + 34 * Limits.longestContextVector + 64, Limits.largestPart + 1)

    package init() {}

    /// The offset in the bundle of the next byte to read.
    package var offset: Int { start + position }

    /// Adds the next bytes of the bundle. Call `next()` afterwards until it returns `nil`.
    package mutating func feed(_ bytes: [UInt8]) {
        if position > 0 {
            buffer.removeFirst(position)
            start += position
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Reads the next item.
    ///
    /// - Returns: `nil` if more bytes are needed first.
    /// - Throws: ``ChangeSetDecodingError`` with the offset in the bundle. The rest of the bundle
    ///   can't be read; store nothing of it.
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
        case .finished:
            guard position == buffer.count else {
                throw failure(.malformed, "further bytes follow the end of the bundle")
            }
            return nil
        }
    }

    /// Ends the input.
    ///
    /// - Throws: ``ChangeSetDecodingError`` with code `truncated` if the bundle is incomplete.
    package func finish() throws(ChangeSetDecodingError) {
        guard part == .finished else {
            throw ChangeSetDecodingError(
                code: .truncated, offset: start + buffer.count, cause: "the bundle ends too early")
        }
    }

    // MARK: - Parts

    private mutating func readMagic() throws(ChangeSetDecodingError) -> Bool {
        let magic = BundleHeader.magic
        let common = min(magic.count, buffer.count)
        guard buffer.prefix(common).elementsEqual(magic.prefix(common)) else {
            throw failure(.malformed, "the file is no bundle")
        }
        guard buffer.count > magic.count else { return false }
        mayHaveParts = buffer[magic.count] == BundleHeader.versionWithParts
        guard mayHaveParts || buffer[magic.count] == BundleHeader.version else {
            position = magic.count
            throw failure(
                .unsupportedVersion,
                "this version does not know version \(buffer[magic.count]) of bundles")
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
            throw reader.failure(.malformed, "the context of \(set.dot) names a position of a log")
        }
        vector.take(try reader.readChanges())
        try reader.expectEnd()
        guard vector.count <= Limits.longestContextVector else {
            throw reader.failure(
                .limitExceeded,
                "a causal context has \(vector.count) entries, more than "
                    + "\(Limits.longestContextVector)"
            )
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
            throw failure(.digestMismatch, "the bytes before the end are damaged")
        }
        guard count == UInt64(setCount) else {
            throw failure(.malformed, "the bundle has \(setCount) change sets, not \(count)")
        }
        position += Digest.byteCount
        part = .finished
        return .end(count: setCount)
    }

    // MARK: - Bytes

    /// Skips bytes and adds them to the digest.
    private mutating func read(_ count: Int) {
        digest.update(buffer[position..<position + count])
        position += count
    }

    /// Indicates whether the next block is a part. It is `false` as long as the block's first byte
    /// is missing.
    private func isAtPart() throws(ChangeSetDecodingError) -> Bool {
        guard let (length, prefix) = try varint(at: position), length > 0,
            buffer.count - position > prefix
        else { return false }
        return buffer[position + prefix] == 0
    }

    /// Reads one block: its length, then as many bytes.
    ///
    /// - Parameter skipped: The number of bytes at the block's beginning that the result omits.
    /// - Returns: `nil` if not all bytes of the block are there yet; then none was read.
    /// - Throws: ``ChangeSetDecodingError`` with code `limitExceeded` if the block is too long, or
    ///   `malformed` if its length is damaged.
    private mutating func takeBlock(
        without skipped: Int = 0
    ) throws(ChangeSetDecodingError) -> [UInt8]? {
        guard let (length, prefix) = try varint(at: position) else { return nil }
        guard length <= UInt64(Self.largestBlock) else {
            throw failure(
                .limitExceeded, "a block has \(length) bytes, more than \(Self.largestBlock)")
        }
        guard buffer.count - position - prefix >= Int(length) else {
            // Reserving the whole size once avoids a second copy each time that the buffer grows.
            if buffer.count - position > Int(length) / 2 {
                buffer.reserveCapacity(position + prefix + Int(length) + Self.feedBytes)
            }
            return nil
        }
        read(prefix + Int(length))
        let block = Array(buffer[position - Int(length) + skipped..<position])
        if block.count > Self.feedBytes {
            // The block and the buffer would otherwise both stay in memory while the caller works.
            start += position
            buffer = Array(buffer[position...])
            position = 0
        }
        return block
    }

    /// The approximate number of bytes that a caller passes to `feed(_:)` at a time.
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
