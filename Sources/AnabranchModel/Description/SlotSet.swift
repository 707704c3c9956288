/// A set of slots of one entity, which can be a dictionary key.
///
/// One word of bits holds slots 0 to 63; only entities with more slots need an array.
package struct SlotSet: Hashable, Sendable {
    private var first: UInt64 = 0
    /// The words for slots from 64 on, the last one not zero.
    ///
    /// It is `nil` without such slots, so copying and comparing cost nothing.
    private var others: [UInt64]?

    package init() {}

    package init(_ slots: [Int]) {
        for slot in slots { insert(slot) }
    }

    package init(_ slots: Range<Int>) { self.init(Array(slots)) }

    package var isEmpty: Bool { first == 0 && others == nil }

    package mutating func insert(_ slot: Int) {
        guard slot >= 64 else {
            first |= 1 << UInt64(slot)
            return
        }
        var words = others ?? []
        while words.count < slot / 64 { words.append(0) }
        words[slot / 64 - 1] |= 1 << UInt64(slot % 64)
        others = words
    }

    package mutating func formUnion(_ other: SlotSet) {
        first |= other.first
        guard let more = other.others else { return }
        var words = others ?? []
        while words.count < more.count { words.append(0) }
        for (index, word) in more.enumerated() { words[index] |= word }
        others = words
    }

    package func union(_ other: SlotSet) -> SlotSet {
        var union = self
        union.formUnion(other)
        return union
    }

    package func contains(_ slot: Int) -> Bool {
        let (word, bit) = (slot / 64, UInt64(slot % 64))
        if word == 0 { return first & 1 << bit != 0 }
        guard let others, word <= others.count else { return false }
        return others[word - 1] & 1 << bit != 0
    }

    package func intersects(_ other: SlotSet) -> Bool {
        if first & other.first != 0 { return true }
        guard let others, let more = other.others else { return false }
        return zip(others, more).contains { $0 & $1 != 0 }
    }

    /// The slots in ascending order.
    package var slots: [Int] {
        let end = others.map { 64 * ($0.count + 1) } ?? 64 - first.leadingZeroBitCount
        return (0..<end).filter { contains($0) }
    }
}

extension SlotSet: ExpressibleByArrayLiteral {
    package init(arrayLiteral slots: Int...) { self.init(slots) }
}

extension SlotSet: Comparable {
    /// Orders sets by their slots; the same on every machine.
    package static func < (left: SlotSet, right: SlotSet) -> Bool {
        left.slots.lexicographicallyPrecedes(right.slots)
    }
}
