/// Makes the positions of one save.
///
/// Each is made once and never again: its last step has the number of the save and the place in
/// it. The maker looks for the shortest way that keeps what one replica puts at one place together:
///
/// 1. behind an element of its own, while what follows is not of the same block: the next turn of
///    that block. A text that is typed, and a list that is appended to, stay in one block;
/// 2. in front of an element of its own, likewise;
/// 3. a new block behind that of the element ahead, or in front of that of the element behind,
///    while the other neighbour stands elsewhere. Who begins a block at the same time begins
///    another, and the two stand one behind the other, whatever is added to them;
/// 4. else both neighbours are siblings: a new block below the one that came later. So what was
///    put beside what is on the same side of it everywhere.
///
/// Growth: appending, prepending and putting one after the other at one place, from either side
/// and in turns by any replicas, gives positions of at most 24 bytes in a million saves. Only
/// putting things between the last two that were put there, again and again and by turns on both
/// sides, makes each position a step longer than the one before.
public struct ListPositionMaker: Sendable {
    private let owner: [UInt8]
    private let save: Int64
    private var count: Int64 = 0

    /// - Parameter dot: Of the save, whose elements nobody else places.
    public init(_ dot: Dot) {
        owner = Array(dot.replica.bytes.prefix(ListStep.ownerLength))
        save = Int64(dot.sequence)
    }

    /// - Parameters:
    ///   - left: Of the element ahead; `nil` at the list's beginning.
    ///   - right: Of the element behind, greater than `left`; `nil` at the list's end.
    /// - Returns: A position between the two.
    public mutating func position(
        between left: ListPosition?, and right: ListPosition?
    ) -> ListPosition {
        precondition(
            left.map { left in right.map { left < $0 } ?? true } ?? true,
            "a position is made between two, in their order")
        defer { count += 1 }
        let ahead = left.flatMap { ListStep.last(of: $0.bytes) }
        let behind = right.flatMap { ListStep.last(of: $0.bytes) }
        for way in [continued, begun, nested] {
            guard let bytes = way(ahead, behind) else { continue }
            let made = ListPosition(made: bytes)
            // Two replicas whose first bytes are alike would share a block, not its turns.
            if left.map({ $0 < made }) ?? true, right.map({ made < $0 }) ?? true { return made }
        }
        // Below the element behind there is always room.
        return ListPosition(made: below(behind, ahead, inFront: true) ?? step(under: [], block: 0))
    }

    /// The next turn of a block of one's own.
    private func continued(_ ahead: ListStep?, _ behind: ListStep?) -> [UInt8]? {
        if let ahead, ahead.owner.elementsEqual(owner),
            !(behind?.bytes.starts(with: ahead.blockPrefix) ?? false)
        {
            return turn(of: ahead.blockPrefix, inFront: false)
        }
        if let behind, behind.owner.elementsEqual(owner),
            !(ahead?.bytes.starts(with: behind.blockPrefix) ?? false)
        {
            return turn(of: behind.blockPrefix, inFront: true)
        }
        return nil
    }

    /// A new block beside one of the neighbours', where the other stands elsewhere.
    private func begun(_ ahead: ListStep?, _ behind: ListStep?) -> [UInt8]? {
        if let ahead, !(behind?.bytes.starts(with: ahead.parent) ?? false) {
            return step(under: ahead.parent, block: ahead.block + 1)
        }
        if let behind, !Self.isBelow(ahead, behind.parent) {
            return step(under: behind.parent, block: behind.block - 1)
        }
        return ahead == nil && behind == nil ? step(under: [], block: 0) : nil
    }

    /// The neighbours are siblings: below the one that was put beside the other.
    private func nested(_ ahead: ListStep?, _ behind: ListStep?) -> [UInt8]? {
        guard let ahead, let behind else { return nil }
        return below(behind, ahead, inFront: Self.isLater(behind, than: ahead))
    }

    private func below(_ behind: ListStep?, _ ahead: ListStep?, inFront: Bool) -> [UInt8]? {
        if inFront, let behind { return step(under: behind.stem + [ListStep.Side.front], block: 0) }
        return ahead.map { step(under: $0.bytes[...], block: 0) }
    }

    private static func isBelow(_ step: ListStep?, _ parent: ArraySlice<UInt8>) -> Bool {
        guard let step else { return false }
        return step.bytes.count > parent.count && step.bytes.starts(with: parent)
    }

    private static func isLater(_ behind: ListStep, than ahead: ListStep) -> Bool {
        if behind.blockPrefix == ahead.blockPrefix { return behind.turn > ahead.turn }
        return behind.block > 0 || behind.block == ahead.block
    }

    private func step(under parent: ArraySlice<UInt8>, block: Int64) -> [UInt8] {
        var prefix = Array(parent)
        OrderedNumber.append(block, to: &prefix)
        prefix += owner
        return turn(of: prefix[...], inFront: false)
    }

    private func turn(of block: ArraySlice<UInt8>, inFront: Bool) -> [UInt8] {
        var bytes = Array(block)
        OrderedNumber.append(inFront ? -1 - save : save, to: &bytes)
        OrderedNumber.append(inFront ? -1 - count : count, to: &bytes)
        bytes.append(ListStep.Side.back)
        return bytes
    }
}
