import AnabranchReplication
import TestSupport
import Testing

@Suite struct HybridClockTests {
    @Test func `a million ticks of a frozen clock carry into the milliseconds`() {
        var clock = HybridClock()
        var previous = HybridTimestamp.zero
        for _ in 0..<1_000_000 {
            guard let next = clock.tick(wallMilliseconds: 1_000), next > previous else {
                Issue.record("a tick is not later than \(previous)")
                return
            }
            previous = next
        }
        // The first tick has counter 0, so the last one is 999,999 counters later.
        #expect(previous.wallMilliseconds == 1_000 + 999_999 / 65_536)
        #expect(Int(previous.counter) == 999_999 % 65_536)
    }

    @Test func `a wall clock that steps back only advances the counter`() {
        var clock = HybridClock()
        for (counter, wall) in [5_000, 10, Int64.min].enumerated() {
            let next = clock.tick(wallMilliseconds: wall)
            #expect(
                next == HybridTimestamp(wallMilliseconds: 5_000, counter: UInt16(counter)))
        }
    }

    @Test func `a wall clock that advances resets the counter`() {
        var clock = HybridClock(latest: HybridTimestamp(wallMilliseconds: 7, counter: 9))
        let next = clock.tick(wallMilliseconds: 8)
        #expect(next == HybridTimestamp(wallMilliseconds: 8, counter: 0))
    }

    @Test func `an issued timestamp is later than every observed one`() {
        var clock = HybridClock()
        let seen = HybridTimestamp(wallMilliseconds: 90_000, counter: .max)
        clock.observe(seen)
        let next = clock.tick(wallMilliseconds: 1)
        #expect(next == HybridTimestamp(wallMilliseconds: 90_001, counter: 0))
        clock.observe(HybridTimestamp(wallMilliseconds: 5))
        #expect(clock.latest == next)
    }

    @Test func `at the end of time a clock refuses and stays as it is`() {
        let last = HybridTimestamp(rawValue: Limits.greatestTimestamp)
        var clock = HybridClock(latest: HybridTimestamp(rawValue: last.rawValue - 1))
        let ticks = [0, 0, Int64.max].map { clock.tick(wallMilliseconds: $0) }
        #expect(ticks == [last, nil, nil])
        #expect(clock.latest == last)
    }

    @Test func `a timestamp beyond all limits does not trap a clock`() {
        var clock = HybridClock(latest: HybridTimestamp(rawValue: .max))
        let next = clock.tick(wallMilliseconds: 1)
        #expect(next == nil)
    }

    @Test func `a wall time beyond the limits counts as the limit`() {
        #expect(HybridTimestamp(wallMilliseconds: -5) == .zero)
        let greatest = HybridTimestamp(wallMilliseconds: .max, counter: .max)
        #expect(greatest.rawValue == Limits.greatestTimestamp)
    }

    @Test(arguments: TestLength.seeds(200))
    func `a clock never issues a timestamp twice, whatever it observes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var clock = HybridClock()
        var latest = HybridTimestamp.zero
        for _ in 0..<500 {
            if generator.oneIn(3) {
                let seen = HybridTimestamp(rawValue: generator.next() >> 20)
                clock.observe(seen)
                latest = max(latest, seen)
            }
            let wall = Int64(truncatingIfNeeded: generator.next()) >> 30
            guard let next = clock.tick(wallMilliseconds: wall) else { return }
            #expect(next > latest)
            latest = next
        }
    }
}
