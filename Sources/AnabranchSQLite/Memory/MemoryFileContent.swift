import CSQLite

/// The bytes of a file, in pieces that never move.
struct MemoryFileContent: ~Copyable {
    /// The size of a piece. A small store needs three or four pieces.
    private static let pieceBytes = 16 * 1024

    private(set) var byteCount = 0
    private var pieces: [UnsafeMutableRawPointer] = []

    deinit { for piece in pieces { sqlite3_free(piece) } }

    /// Reads bytes and returns their number; the rest of the target is set to zero.
    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let count = max(0, min(target.count, byteCount - offset))
        forEachPart(of: offset..<offset + count) { memory, place in
            UnsafeMutableRawBufferPointer(rebasing: target[place..<place + memory.count])
                .copyMemory(from: UnsafeRawBufferPointer(memory))
        }
        if count < target.count {
            UnsafeMutableRawBufferPointer(rebasing: target[count...]).initializeMemory(
                as: UInt8.self, repeating: 0)
        }
        return count
    }

    /// Writes bytes; returns false, without any change, if there is not enough memory.
    mutating func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard grow(to: offset + source.count) else { return false }
        forEachPart(of: offset..<offset + source.count) { memory, place in
            memory.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: source[place..<place + memory.count]))
        }
        return true
    }

    private mutating func grow(to wanted: Int) -> Bool {
        while pieces.count * Self.pieceBytes < wanted {
            guard let piece = sqlite3_malloc(Int32(Self.pieceBytes)) else { return false }
            piece.initializeMemory(as: UInt8.self, repeating: 0, count: Self.pieceBytes)
            pieces.append(piece)
        }
        byteCount = max(byteCount, wanted)
        return true
    }

    /// Truncates the file; the removed bytes read zero if the file grows again.
    mutating func truncate(to wanted: Int) {
        guard wanted < byteCount else { return }
        let kept = (wanted + Self.pieceBytes - 1) / Self.pieceBytes
        for piece in pieces[kept...] { sqlite3_free(piece) }
        pieces.removeLast(pieces.count - kept)
        forEachPart(of: wanted..<kept * Self.pieceBytes) { memory, _ in
            memory.initializeMemory(as: UInt8.self, repeating: 0)
        }
        byteCount = wanted
    }

    /// Calls `body` with each part of a range.
    ///
    /// - Parameter body: Receives the memory of a part, and its offset within the range.
    private func forEachPart(
        of range: Range<Int>, _ body: (UnsafeMutableRawBufferPointer, Int) -> Void
    ) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let (piece, start) = offset.quotientAndRemainder(dividingBy: Self.pieceBytes)
            let count = min(Self.pieceBytes - start, range.upperBound - offset)
            body(
                UnsafeMutableRawBufferPointer(start: pieces[piece] + start, count: count),
                offset - range.lowerBound)
            offset += count
        }
    }
}
