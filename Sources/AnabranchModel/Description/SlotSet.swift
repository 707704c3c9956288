/// Slots of one entity, as a value and as a key: a word of bits, and more only for entities with
/// more than 64 slots.
package struct SlotSet: Hashable, Sendable {
    private var first: UInt64 = 0
    /// Of slots from 64 on, without empty words at its end; `nil` where there are none, which
    /// costs nothing to copy and to compare.
    private var others: [UInt64]?

    package init() {}

    /// - Parameter word: A bit for each of the slots 0 to 63.
    package init(word: UInt64) { first = word }

    package init(_ slots: some Sequence<Int>) {
        for slot in slots { insert(slot) }
    }

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

    /// Ascending.
    package var slots: [Int] {
        ([first] + (others ?? [])).enumerated().flatMap { word, bits in
            (0..<64).filter { bits & 1 << UInt64($0) != 0 }.map { word * 64 + $0 }
        }
    }
}

extension SlotSet: ExpressibleByArrayLiteral {
    package init(arrayLiteral slots: Int...) { self.init(slots) }
}

extension SlotSet: Comparable {
    /// Any order, the same everywhere.
    package static func < (left: SlotSet, right: SlotSet) -> Bool {
        left.slots.lexicographicallyPrecedes(right.slots)
    }
}
