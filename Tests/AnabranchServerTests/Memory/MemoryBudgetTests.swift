import Dispatch
import Testing

@testable import AnabranchServer

/// Tests of the shares that zones and clients have of the common memory.
@Suite struct MemoryBudgetTests {
    private let budget = MemoryBudget(byteCount: 1000)

    @Test func `a zone and a client have half of it each`() {
        let first = RequestMemory(budget, for: [.zone("a"), .client(1)])
        #expect(!first.take(501) && first.take(400))
        #expect(!RequestMemory(budget, for: [.zone("a"), .client(2)]).take(101))
        #expect(!RequestMemory(budget, for: [.zone("b"), .client(1)]).take(101))
        let other = RequestMemory(budget, for: [.zone("b"), .client(2)])
        #expect(other.take(500) && budget.available == 100)
        first.release(150)
        #expect(first.byteCount == 250 && budget.available == 250)
        first.release(1000)
        other.release()
        #expect(first.byteCount == 0 && budget.available == 1000)
    }

    @Test func `bytes count for the zone from the admission on`() {
        let holders: [MemoryBudget.Holder] = [.zone("a"), .client(1)]
        let body = RequestMemory(budget, for: [.unadmitted])
        #expect(body.take(300))
        #expect(!RequestMemory(budget, for: [.unadmitted]).take(201))
        #expect(body.count(for: holders))
        #expect(RequestMemory(budget, for: [.unadmitted]).take(201))
        let second = RequestMemory(budget, for: [.unadmitted])
        #expect(second.take(201) && !second.count(for: holders))
        #expect(second.byteCount == 201 && budget.available == 1000 - 300 - 201)
        body.release()
        #expect(second.count(for: holders))
    }

    @Test func `a share that is free again ends the wait for it`() {
        let holders: [MemoryBudget.Holder] = [.zone("a")]
        let first = RequestMemory(budget, for: holders)
        #expect(first.take(500))
        #expect(!RequestMemory(budget, for: holders).take(501, waiting: 60), "no share is larger")
        #expect(!RequestMemory(budget, for: holders).take(1, waiting: 0.01))
        first.release()
        #expect(RequestMemory(budget, for: holders).take(500, waiting: 60))
    }

    @Test func `it tells each time that an eighth of it was given back`() {
        let isReturned = DispatchSemaphore(value: 0)
        let budget = MemoryBudget(byteCount: 800, whenReturned: { isReturned.signal() })
        func use(_ count: Int) {
            let memory = RequestMemory(budget)
            #expect(memory.take(count))
        }
        for _ in 0..<9 { use(11) }
        #expect(isReturned.wait(timeout: .now() + 0.05) == .timedOut, "only 99 bytes were")
        use(1)
        #expect(isReturned.wait(timeout: .now() + 60) == .success)
        use(400)
        #expect(isReturned.wait(timeout: .now() + 60) == .success)
        use(99)
        #expect(isReturned.wait(timeout: .now() + 0.05) == .timedOut)
    }

    @Test func `it tells soon that less than an eighth of it was given back`() {
        let isReturned = DispatchSemaphore(value: 0)
        let budget = MemoryBudget(byteCount: 512 << 20, whenReturned: { isReturned.signal() })
        #expect(budget.take(5 << 20))
        for _ in 0..<5 { budget.giveBack(1 << 20) }
        #expect(isReturned.wait(timeout: .now() + 60) == .success)
        #expect(isReturned.wait(timeout: .now() + 3) == .timedOut, "it tells once")
    }

    @Test func `an upload has a least rate in each window`() {
        let start = ContinuousClock.now
        var pace = UploadPace(from: start)
        var isKept: [Bool] = []
        // What comes in one window does not count in the next.
        for (count, seconds) in [(1_000_000, 1), (1, 21), (1999, 40), (1, 42), (2000, 62)] {
            isKept.append(pace.keeps(100, with: count, at: start + .seconds(seconds)))
        }
        #expect(isKept == [true, true, true, false, true])
    }
}
