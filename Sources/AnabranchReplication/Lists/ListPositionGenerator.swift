/// Generates the positions of the elements that one save places in ordered relationships.
///
/// Every position is unique, because its last step contains the number of the save and a number
/// within it. The generator tries the following ways in order and uses the first that gives a
/// position between the neighbours. Together they keep the elements that one replica puts at one
/// place together:
///
/// 1. The next turn of the block of the element ahead, if that block has the same owner and the
///    element behind is not in it. So typed text and an appended list stay in one block.
/// 2. The next turn in front of the block of the element behind, under the same conditions.
/// 3. A new block behind that of the element ahead, or in front of that of the element behind, if
///    the other neighbour is elsewhere. Replicas that begin a block concurrently begin different
///    blocks. These stay one behind the other, whatever is added to them.
/// 4. Otherwise the neighbours are siblings: a new block below the later one. So an element that
///    was put beside another is on the same side of it on every replica.
///
/// Positions stay short. Appending, prepending and inserting at one place give positions of at most
/// 24 bytes in a million saves. This holds from either side, and for several replicas in turn. Only
/// repeated insertion between the last two inserted elements, alternating between both sides, makes
/// each position one step longer than the one before.
package struct ListPositionGenerator: Sendable {
    private let owner: [UInt8]
    private let save: Int64
    private var count: Int64 = 0

    /// Creates the generator for one save.
    ///
    /// - Parameter dot: The dot of the save. It makes the positions unique, so create only one
    ///   generator for a dot.
    package init(_ dot: Dot) {
        owner = Array(dot.replica.bytes.prefix(ListStep.ownerLength))
        save = Int64(dot.sequence)
    }

    /// Generates a position between two neighbours.
    ///
    /// - Parameters:
    ///   - left: The position of the element ahead, or `nil` at the beginning of the list.
    ///   - right: The position of the element behind, greater than `left`, or `nil` at the end of
    ///     the list.
    /// - Returns: A position between the two.
    package mutating func position(
        between left: ListPosition?, and right: ListPosition?
    ) -> ListPosition {
        precondition(
            left.map { left in right.map { left < $0 } ?? true } ?? true,
            "the left position must be less than the right one")
        defer { count += 1 }
        let ahead = left.flatMap { ListStep.last(of: $0.bytes) }
        let behind = right.flatMap { ListStep.last(of: $0.bytes) }
        for way in [continued, begun, nested] {
            guard let bytes = way(ahead, behind) else { continue }
            let made = ListPosition(made: bytes)
            // Two replicas with equal first bytes would share a block, but not its turns.
            if left.map({ $0 < made }) ?? true, right.map({ made < $0 }) ?? true { return made }
        }
        // Below the element behind there is always room.
        return ListPosition(made: below(behind, ahead, inFront: true) ?? step(under: [], block: 0))
    }

    /// The next turn of a block with the same owner.
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

    /// A new block beside that of one neighbour, if the other neighbour is elsewhere.
    private func begun(_ ahead: ListStep?, _ behind: ListStep?) -> [UInt8]? {
        if let ahead, !(behind?.bytes.starts(with: ahead.parent) ?? false) {
            return step(under: ahead.parent, block: ahead.block + 1)
        }
        if let behind, !Self.isBelow(ahead, behind.parent) {
            return step(under: behind.parent, block: behind.block - 1)
        }
        return ahead == nil && behind == nil ? step(under: [], block: 0) : nil
    }

    /// A new block below the later one of two siblings.
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
