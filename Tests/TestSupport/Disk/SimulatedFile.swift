import AnabranchSQLite

/// One file in memory: its current content and the content that a loss of power would leave.
final class SimulatedFile {
    /// The content in pieces. Two versions of a file share a piece as long as neither changes it.
    private struct Content {
        var pieces: [[UInt8]] = []
        var byteCount = 0
    }

    /// The number of bytes that are written to the disk together.
    private static let pieceBytes = 4096

    /// A number that no other file has, nor a copy of this one.
    let inode: UInt64
    private var content = Content()
    /// The content at the last flush.
    private var flushed = Content()
    /// The pieces that have changed since the last flush.
    private var unflushed: Set<Int> = []
    /// The locks of the openings by processes that the disk has not forgotten.
    private(set) var sharing = SharedFileState()

    init(inode: UInt64) { self.inode = inode }

    /// Copies a file.
    ///
    /// - Parameter file: The file. Its current content is flushed in the copy.
    init(inode: UInt64, copying file: SimulatedFile) {
        self.inode = inode
        content = file.content
        flushed = file.content
    }

    var byteCount: Int { content.byteCount }

    /// - Returns: The number of bytes that the file had in this range.
    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let count = max(0, min(target.count, content.byteCount - offset))
        forEachPart(of: offset..<offset + count) { piece, part, place in
            content.pieces[piece].withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: target[place..<place + part.count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[part]))
            }
        }
        return count
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        grow(to: offset + source.count)
        forEachPart(of: offset..<offset + source.count) { piece, part, place in
            unflushed.insert(piece)
            content.pieces[piece].withUnsafeMutableBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: bytes[part]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: source[place..<place + part.count]))
            }
        }
    }

    private func grow(to byteCount: Int) {
        content.byteCount = max(content.byteCount, byteCount)
        while content.pieces.count * Self.pieceBytes < byteCount {
            content.pieces.append([UInt8](repeating: 0, count: Self.pieceBytes))
        }
    }

    /// - Parameter body: Called with each piece, the part of the piece, and the part's offset in
    ///   the range.
    private func forEachPart(of range: Range<Int>, _ body: (Int, Range<Int>, Int) -> Void) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let (piece, start) = offset.quotientAndRemainder(dividingBy: Self.pieceBytes)
            let count = min(Self.pieceBytes - start, range.upperBound - offset)
            body(piece, start..<start + count, offset - range.lowerBound)
            offset += count
        }
    }

    func truncate(to byteCount: Int) {
        guard byteCount < content.byteCount else { return }
        content.byteCount = byteCount
        let (whole, rest) = byteCount.quotientAndRemainder(dividingBy: Self.pieceBytes)
        content.pieces.removeLast(content.pieces.count - whole - (rest > 0 ? 1 : 0))
        guard rest > 0 else { return }
        unflushed.insert(whole)
        content.pieces[whole].replaceSubrange(
            rest..., with: repeatElement(0, count: Self.pieceBytes - rest))
    }

    func flush() {
        flushed = content
        unflushed = []
    }

    /// Loses power: any part of the changes since the last flush is on the disk.
    ///
    /// - Parameter survives: Called for every changed piece and for the length.
    func losePower(_ survives: () -> Bool) {
        let length = survives() ? content.byteCount : flushed.byteCount
        let written = content
        content = flushed
        grow(to: length)
        truncate(to: length)
        for piece in unflushed.sorted() where piece < content.pieces.count {
            if piece < written.pieces.count, survives() {
                content.pieces[piece] = written.pieces[piece]
            }
        }
        flush()
    }

    /// Forgets all openings and their locks: no process has the file open.
    func forgetOpenings() { sharing = SharedFileState() }
}
