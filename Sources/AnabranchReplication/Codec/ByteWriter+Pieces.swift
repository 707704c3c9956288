#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Bytes that a writer refers to instead of copying them.
///
/// A value of hundreds of megabytes can so be encoded, digested and written to a file while it is
/// in memory only once.
@usableFromInline package struct ReferencedBytes: Sendable {
    package enum Content: Sendable {
        case data(Data)
        case bytes(ArraySlice<UInt8>)
    }

    /// The number of the writer's own bytes that precede this piece.
    var place: Int
    let content: Content

    var count: Int {
        switch content {
        case .data(let data): data.count
        case .bytes(let bytes): bytes.count
        }
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        switch content {
        case .data(let data): try data.withUnsafeBytes(body)
        case .bytes(let bytes): try bytes.withUnsafeBytes(body)
        }
    }
}

extension ByteWriter {
    /// The size in bytes from which on the writer refers to a value. Copying a smaller value costs
    /// about as much as referring to it.
    @usableFromInline static var leastLarge: Int { 1 << 20 }

    /// Creates a writer that contains these bytes, without copying them.
    package init(_ bytes: [UInt8]) {
        storage = bytes
        large = []
        largeCount = 0
    }

    /// Appends a length, then the bytes.
    @usableFromInline package mutating func append(data: Data) {
        append(count: data.count)
        append(contentsOf: data)
    }

    /// Appends bytes, without copying them if they are many.
    package mutating func append(contentsOf data: Data) {
        guard data.count >= Self.leastLarge else { return append(raw: data) }
        append(large: .data(data))
    }

    /// Appends a text of a megabyte or more. A writer can't refer to a text, so it copies it once,
    /// here.
    @usableFromInline package mutating func append(largeText utf8: UnsafeBufferPointer<UInt8>) {
        append(data: Data(buffer: utf8))
    }

    /// Appends everything that another writer contains.
    package mutating func append(contentsOf other: ByteWriter) {
        for piece in other.large {
            large.append(
                ReferencedBytes(place: storage.count + piece.place, content: piece.content))
        }
        largeCount += other.largeCount
        storage.append(contentsOf: other.storage)
    }

    /// Appends a length, then everything that another writer contains.
    package mutating func append(block other: ByteWriter) {
        append(count: other.count)
        append(contentsOf: other)
    }

    /// The place of a block that was begun, see ``beginBlock(reserving:)``.
    struct BlockStart {
        fileprivate let place: Int
        fileprivate let count: Int
        fileprivate let largeCount: Int
    }

    /// Begins a block: a length, then everything that is appended until ``endBlock(_:)``.
    ///
    /// A block within the block ends before it.
    ///
    /// - Parameter capacity: The number of bytes that are expected.
    mutating func beginBlock(reserving capacity: Int = 0) -> BlockStart {
        // The memory at least doubles, so that many blocks are not copied each time.
        if capacity > storage.count { storage.reserveCapacity(storage.count + capacity + 64) }
        storage.append(0)
        return BlockStart(place: storage.count - 1, count: count, largeCount: large.count)
    }

    /// Ends a block, and writes its length in front of it.
    mutating func endBlock(_ start: BlockStart) {
        let length = count - start.count
        guard length >= 0x80 else {
            storage[start.place] = UInt8(length)
            return
        }
        var prefix = ByteWriter()
        prefix.append(count: length)
        storage.replaceSubrange(start.place...start.place, with: prefix.storage)
        for index in start.largeCount..<large.count { large[index].place += prefix.count - 1 }
    }

    /// Appends a part of an array, without copying it if it is large.
    package mutating func append(slice: ArraySlice<UInt8>) {
        guard slice.count >= Self.leastLarge else { return append(raw: slice) }
        append(large: .bytes(slice))
    }

    private mutating func append(large content: ReferencedBytes.Content) {
        let piece = ReferencedBytes(place: storage.count, content: content)
        large.append(piece)
        largeCount += piece.count
    }

    /// Passes everything that was appended to a closure, piece by piece and in order.
    ///
    /// The pieces are valid only during the call.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        guard !large.isEmpty else { return try storage.withUnsafeBytes(body) }
        var start = 0
        for piece in large {
            try storage[start..<piece.place].withUnsafeBytes(body)
            try piece.withBytes(body)
            start = piece.place
        }
        try storage[start...].withUnsafeBytes(body)
    }

    /// Passes everything that was appended to a closure, in pieces of one size. Only the last piece
    /// may be shorter.
    package func forEachPiece(
        of size: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        var pending: [UInt8] = []
        pending.reserveCapacity(min(size, count))
        try forEachPiece { piece in
            var rest = piece
            while !rest.isEmpty {
                let next = UnsafeRawBufferPointer(rebasing: rest.prefix(size - pending.count))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(next.count))
                guard next.count < size else {
                    try body(next)
                    continue
                }
                pending.append(contentsOf: next)
                guard pending.count == size else { continue }
                try pending.withUnsafeBytes(body)
                pending.removeAll(keepingCapacity: true)
            }
        }
        if !pending.isEmpty { try pending.withUnsafeBytes(body) }
    }

    @usableFromInline package func joined() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let target = UnsafeMutableRawBufferPointer(buffer)
            forEachPiece { piece in
                UnsafeMutableRawBufferPointer(rebasing: target[initialized...])
                    .copyMemory(from: piece)
                initialized += piece.count
            }
        }
    }
}
