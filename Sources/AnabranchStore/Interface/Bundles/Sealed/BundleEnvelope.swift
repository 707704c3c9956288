/// Removes the seal, if there is one, from the bytes of a bundle that arrive piece by piece.
///
/// Every chunk of a sealed bundle has the same size, except the last, which is not larger. The file
/// states no lengths, so hostile bytes can't make the reader allocate more memory.
///
/// The output of a sealed bundle is authentic and in the right order. Only `finish()` shows that
/// nothing is missing at the end, so store nothing of the output before it has returned. A bundle
/// without a seal is passed on unchecked.
package struct BundleEnvelope: ~Copyable {
    private enum Part { case magic, plain, header, chunks, finished }

    private let opening: BundleOpening
    private var part = Part.magic
    private var buffer: [UInt8] = []
    /// The offset of the buffer's first byte in the file.
    private var start = 0
    private var stream: SealStream?
    /// The header of a sealed bundle, as soon as it was read.
    package private(set) var header: SealedBundleHeader?

    private static let sealedChunkBytes = BundleSealer.chunkBytes + SealStream.overhead

    package init(_ opening: BundleOpening) { self.opening = opening }

    /// The number of bytes of the file received so far.
    package var offset: Int { start + buffer.count }

    /// Opens more bytes.
    ///
    /// - Returns: The next bytes of the bundle that are known to be authentic.
    /// - Throws: ``SealError``.
    package mutating func open(_ bytes: [UInt8]) throws(SealError) -> [UInt8] {
        buffer += bytes
        if part == .magic { try readMagic() }
        if part == .header { try readHeader() }
        switch part {
        case .magic, .header: return []
        case .plain: return take(buffer.count)
        case .chunks, .finished: return try openChunks()
        }
    }

    /// Ends the input.
    ///
    /// - Returns: The last bytes of the bundle.
    package mutating func finish() throws(SealError) -> [UInt8] {
        switch part {
        case .plain, .finished: return []
        case .magic, .header: throw ending()
        case .chunks:
            guard buffer.count >= SealStream.overhead else { throw ending() }
            let (bytes, isLast) = try openChunk(buffer[...])
            _ = take(buffer.count)
            guard isLast else { throw ending() }
            part = .finished
            return bytes
        }
    }

    private mutating func readMagic() throws(SealError) {
        let magic = SealedBundleHeader.magic
        let common = min(magic.count, buffer.count)
        guard buffer.prefix(common).elementsEqual(magic.prefix(common)) else {
            guard opening.takesPlain else { throw .notSealed }
            part = .plain
            return
        }
        if common == magic.count { part = .header }
    }

    private mutating func readHeader() throws(SealError) {
        let place = SealedBundleHeader.magic.count
        guard buffer.count > place else { return }
        guard buffer[place] == SealedBundleHeader.version else {
            throw .newerVersion(buffer[place])
        }
        guard let found = SealedBundleHeader(buffer.prefix(SealedBundleHeader.byteCount)) else {
            return
        }
        guard opening.expected == nil || opening.expected == found else {
            throw .damaged(offset: place, "it is not the same bundle as before")
        }
        guard let keyRing = opening.keyRing else { throw .keyRequired(found.key) }
        guard let subkey = keyRing.subkey(of: found) else { throw .keyMissing(found.key) }
        stream = SealStream(openingWith: subkey, found)
        header = found
        _ = take(SealedBundleHeader.byteCount)
        part = .chunks
    }

    private mutating func openChunks() throws(SealError) -> [UInt8] {
        var opened: [UInt8] = []
        var place = 0
        while part == .chunks, buffer.count - place >= Self.sealedChunkBytes {
            let (bytes, isLast) = try openChunk(buffer[place..<place + Self.sealedChunkBytes])
            opened += bytes
            place += Self.sealedChunkBytes
            if isLast { part = .finished }
        }
        _ = take(place)
        guard part == .chunks || buffer.isEmpty else {
            throw .damaged(offset: start, "bytes follow the end of the bundle")
        }
        return opened
    }

    private mutating func openChunk(
        _ chunk: ArraySlice<UInt8>
    ) throws(SealError) -> (bytes: [UInt8], isLast: Bool) {
        guard let found = stream?.open(chunk) else {
            throw .damaged(
                offset: start + chunk.startIndex,
                "the \(chunk.count) bytes from there on are not those that were sealed")
        }
        return found
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        start += count
        guard count < buffer.count else {
            let taken = buffer
            buffer = []
            return taken
        }
        let taken = Array(buffer.prefix(count))
        buffer.removeFirst(count)
        return taken
    }

    private func ending() -> SealError { .damaged(offset: offset, "it ends too early") }
}
