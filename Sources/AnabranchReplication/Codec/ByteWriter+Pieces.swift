#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Bytes that a writer refers to instead of copying them: a value of hundreds of megabytes goes
/// from one encoding into the next, into a digest and into a file without ever being there twice.
@usableFromInline
struct LargePiece: Sendable {
    @usableFromInline
    enum Content: Sendable {
        case data(Data)
        case bytes(ArraySlice<UInt8>)
    }

    /// Of the writer's own bytes, these many stand before it.
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
    /// Bytes from which on a value is referred to. A copy of less costs about what the reference
    /// does.
    @usableFromInline static var leastLarge: Int { 1 << 20 }

    /// Bytes that are there already. They are not copied.
    public init(_ bytes: [UInt8]) {
        storage = bytes
        large = []
        largeCount = 0
    }

    /// A length, then the bytes.
    @usableFromInline
    mutating func append(data: Data) {
        append(count: data.count)
        append(contentsOf: data)
    }

    /// Bytes, which are not copied where they are many.
    public mutating func append(contentsOf data: Data) {
        guard data.count >= Self.leastLarge else { return append(raw: data) }
        append(large: .data(data))
    }

    /// As ``append(string:)``. A text can't be referred to, so it is copied once, here.
    @usableFromInline
    mutating func append(largeText utf8: UnsafeBufferPointer<UInt8>) {
        append(data: Data(buffer: utf8))
    }

    /// What another writer has, as it is.
    public mutating func append(contentsOf other: ByteWriter) {
        for piece in other.large {
            large.append(LargePiece(place: storage.count + piece.place, content: piece.content))
        }
        largeCount += other.largeCount
        storage.append(contentsOf: other.storage)
    }

    /// A length, then what another writer has.
    public mutating func append(block other: ByteWriter) {
        append(count: other.count)
        append(contentsOf: other)
    }

    /// Some bytes of an array, which are not copied where they are many.
    public mutating func append(slice: ArraySlice<UInt8>) {
        guard slice.count >= Self.leastLarge else { return append(raw: slice) }
        append(large: .bytes(slice))
    }

    private mutating func append(large content: LargePiece.Content) {
        let piece = LargePiece(place: storage.count, content: content)
        large.append(piece)
        largeCount += piece.count
    }

    /// Lends all that was appended, one piece behind the other.
    public func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        guard !large.isEmpty else { return try storage.withUnsafeBytes(body) }
        var start = 0
        for piece in large {
            try storage[start..<piece.place].withUnsafeBytes(body)
            try piece.withBytes(body)
            start = piece.place
        }
        try storage[start...].withUnsafeBytes(body)
    }

    /// Lends all that was appended in pieces of one size, the last of which may be shorter.
    public func forEachPiece(
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

    @usableFromInline
    func joined() -> [UInt8] {
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
