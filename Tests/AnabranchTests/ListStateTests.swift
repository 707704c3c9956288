import AnabranchStore
import TestSupport
import Testing

@testable import Anabranch

struct ListStateTests {
    /// Puts one member after the other behind the one that it stands behind in another order.
    private static func placedOneByOne(
        _ ids: Set<LocalID>, in order: [LocalID], standingAsIn model: [LocalID], isEnd: Bool
    ) -> [LocalID] {
        var order = order
        var ahead = isEnd ? order.last { !ids.contains($0) } : nil
        for id in model where order.contains(id) {
            if ids.contains(id) {
                order.removeAll { $0 == id }
                let place = ahead.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
                order.insert(id, at: place)
            }
            ahead = id
        }
        return order
    }

    @Test(arguments: TestLength.seeds(300))
    func `members are placed as if each were put behind the one before it`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let order = (1...12 as ClosedRange<LocalID>).shuffled(using: &random)
        let present = Array(order.prefix(Int.random(in: 0...12, using: &random)))
        var state = ListState()
        state.load(present, members: Set(present))
        // Some of the other order's records are no members here.
        let model = Array(
            (1...12 as ClosedRange<LocalID>).shuffled(using: &random)
                .prefix(Int.random(in: 0...12, using: &random)))
        let isEnd = random.oneIn(3)
        let ids = isEnd ? Set(model) : Set(model.filter { _ in random.oneIn(2) })
        state.place(ids, standingAsIn: model, isEnd: isEnd)
        let expected = Self.placedOneByOne(ids, in: present, standingAsIn: model, isEnd: isEnd)
        #expect(state.order == expected)
        #expect(state.placed == ids.intersection(present))
    }
}
