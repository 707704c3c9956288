import AnabranchProtocol
import AnabranchReplication
import Synchronization

/// The memory for what a request makes of few bytes: the change sets of a push and their decoded
/// values, the JSON that its hook is shown, or a record of the zone.
///
/// A value may take one byte of a change set and many more in memory. Blocks are decoded one after
/// the other, when they are checked and when they are merged, so the largest one counts.
final class DecodingRoom: Sendable {
    private struct Reserved {
        var byteCount = 0
        /// The bytes of it for decoded change sets, which stay until the request ends.
        var ofChangeSets = 0
        /// The bytes for the largest part of a save, beside `byteCount`.
        var ofPart = 0
        /// True if more is needed than the request can have.
        var isBeyondLimit = false
    }

    private let memory: RequestMemory
    private let reserved = Mutex(Reserved())

    /// The memory that a room may have, however small the budget is.
    private let leastLimit: Int
    /// The memory of twice as many values as stores put into one part of a save.
    private static let ofPart = 64 << 20
    /// Memory is taken in steps, so that small pushes take it once.
    private static let step = 1 << 16

    /// The approximate memory of a change set: as it is decoded, what its check looks for, what is
    /// found, and its acknowledgement.
    static let perChangeSet = 3 << 10
    /// The approximate memory of an entry of its context, and of the place that is looked for.
    private static let perCause = 64
    private static let perNeededCause = 512
    /// The greatest memory of the change sets of one request: about 10,000. They are merged in one
    /// transaction, for which other requests wait.
    static let mostOfChangeSets = 32 << 20

    /// Creates the room of a push, which any part of a save fits in.
    convenience init(_ memory: RequestMemory) { self.init(memory, leastLimit: Self.ofPart) }

    private init(_ memory: RequestMemory, leastLimit: Int) {
        self.memory = memory
        self.leastLimit = leastLimit
    }

    /// The room for the stored rows into which values of this one are merged.
    var ofRows: DecodingRoom { .ofReading(memory) }

    /// Creates the room of a request that reads records.
    static func ofReading(_ memory: RequestMemory) -> DecodingRoom {
        DecodingRoom(memory, leastLimit: 0)
    }

    /// Reserves memory for the largest part of a save in parts, which the zone holds.
    ///
    /// - Throws: `overloaded` if there is too little.
    func reserve(forPartsOf parts: [SavePart]) throws(ProtocolError) {
        let largest = parts.lazy.map(\.byteCount).max() ?? 0
        let isReserved = reserved.withLock { reserved in
            let missing = min(largest - reserved.ofPart, memory.room)
            guard missing > 0 else { return true }
            guard memory.take(missing) else { return false }
            reserved.ofPart += missing
            return true
        }
        guard isReserved else { throw RequestMemory.isShort }
    }

    /// Reserves memory for a decoded change set until the request ends.
    ///
    /// - Parameter count: The number of entries of its context.
    ///
    /// - Returns: False if there is too little, or if the request has too many change sets.
    func reserve(changeSetWithCauses count: Int) -> Bool {
        let size =
            Self.perChangeSet + Self.perCause * count
            + Self.perNeededCause * min(count, ZoneNeeds.causeLimit)
        return reserved.withLock { reserved in
            reserved.isBeyondLimit = size > Self.mostOfChangeSets
            let whole = reserved.ofChangeSets + size
            guard whole <= Self.mostOfChangeSets, take(whole, &reserved) else { return false }
            reserved.ofChangeSets = whole
            return true
        }
    }

    /// Reserves memory for values, so many bytes with those that are reserved for values already.
    ///
    /// - Returns: False if there is too little.
    func reserve(byteCount: Int) -> Bool {
        reserved.withLock { reserved in
            let whole = reserved.ofChangeSets + byteCount
            guard whole > reserved.byteCount else { return true }
            let others = memory.byteCount - reserved.byteCount
            reserved.isBeyondLimit = byteCount > max(memory.limit - others, leastLimit)
            return !reserved.isBeyondLimit && take(whole, &reserved)
        }
    }

    /// Takes memory up to a number of bytes, or all that the request can have.
    private func take(_ byteCount: Int, _ reserved: inout Reserved) -> Bool {
        let steps = (byteCount - reserved.byteCount + Self.step - 1) / Self.step
        guard steps > 0 else { return true }
        let missing = min(steps * Self.step, memory.room)
        guard memory.take(missing) else { return false }
        reserved.byteCount += missing
        return true
    }

    /// Reserves memory for a record that is read.
    ///
    /// - Throws: `overloaded` if there is too little now; `recordTooLarge` if the request can never
    ///   have enough for the links.
    func need(_ size: ImageSize, for record: RecordID) throws(ProtocolError) {
        guard size.linkMemoryBytes <= memory.limit else {
            throw ProtocolError(
                .recordTooLarge,
                "Can't read record \(record) because its \(size.linkCount) links need more memory "
                    + "than one request has: give the server more memory (--buffer-limit).",
                details: ["limit": "\(memory.limit)"])
        }
        try need(byteCount: size.memoryBytes)
    }

    /// Reserves memory for stored values, so many bytes with those that are reserved already.
    ///
    /// Values may be larger than what one request can have. The request then takes all of that.
    ///
    /// - Throws: `overloaded` if there is too little now.
    func need(byteCount: Int) throws(ProtocolError) {
        guard !reserve(byteCount: byteCount) else { return }
        guard isBeyondLimit else { throw RequestMemory.isShort }
        try memory.need(memory.room)
    }

    /// Gives the memory back.
    func release() {
        reserved.withLock { reserved in
            memory.release(reserved.byteCount + reserved.ofPart)
            reserved = Reserved()
        }
    }

    /// True if the last reservation failed because the request can never have that much.
    var isBeyondLimit: Bool { reserved.withLock { $0.isBeyondLimit } }

    /// The refusal of a change set, if there was no memory for its values.
    ///
    /// - Returns: `nil` if the change set can never be accepted.
    func refusal(of error: ChangeSetDecodingError) -> ProtocolError? {
        guard error.code == .noRoom, !isBeyondLimit else { return nil }
        return RequestMemory.isShort
    }
}
