import Testing

@testable import AnabranchModel

@Suite struct SlotSetTests {
    @Test(arguments: [[], [0], [63], [64], [3, 64, 65, 200], [127, 128], [0, 63, 64]])
    func `holds what was inserted, in whatever order`(slots: [Int]) {
        let set = SlotSet(slots)
        #expect(set.slots == slots)
        #expect(set == SlotSet(slots.reversed()))
        #expect(set.hashValue == SlotSet(slots.reversed()).hashValue)
        #expect(set.isEmpty == slots.isEmpty)
        #expect((0...260).filter(set.contains) == slots)
    }

    @Test func `a union holds the slots of both`() {
        let sets: [SlotSet] = [[], [1], [63, 64], [1, 200], [130]]
        for left in sets {
            for right in sets {
                let union = left.union(right)
                #expect(union.slots == Set(left.slots).union(right.slots).sorted())
                #expect(union == right.union(left))
            }
        }
    }

    @Test func `sets are in one order`() {
        let sets: [SlotSet] = [[], [0], [0, 1], [1], [63], [64]]
        #expect(sets.shuffled().sorted() == sets)
    }
}
