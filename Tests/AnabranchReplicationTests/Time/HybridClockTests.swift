import AnabranchReplication
import TestSupport
import Testing

@Suite struct HybridClockTests {
    @Test func `a million ticks of a frozen clock carry into the milliseconds`() throws {
        var clock = HybridClock()
        var previous = HybridTimestamp.zero
        for _ in 0..<1_000_000 {
            let next = try #require(clock.tick(wallMilliseconds: 1_000))
            guard next > previous else {
                Issue.record("\(next) is not later than \(previous)")
                return
            }
            previous = next
        }
        // The first tick has counter 0, so the last is 999,999 counters on.
        #expect(previous.wallMilliseconds == 1_000 + 999_999 / 65_536)
        #expect(Int(previous.counter) == 999_999 % 65_536)
    }

    @Test func `a wall clock that steps back only advances the counter`() throws {
        var clock = HybridClock()
        let first = try #require(clock.tick(wallMilliseconds: 5_000))
        let second = try #require(clock.tick(wallMilliseconds: 10))
        let third = try #require(clock.tick(wallMilliseconds: Int64.min))
        #expect((first.wallMilliseconds, first.counter) == (5_000, 0))
        #expect((second.wallMilliseconds, second.counter) == (5_000, 1))
        #expect((third.wallMilliseconds, third.counter) == (5_000, 2))
    }

    @Test func `a wall clock that goes on resets the counter`() throws {
        var clock = HybridClock(latest: HybridTimestamp(wallMilliseconds: 7, counter: 9))
        #expect(
            clock.tick(wallMilliseconds: 8) == HybridTimestamp(wallMilliseconds: 8, counter: 0))
    }

    @Test func `what is issued is later than what was observed`() throws {
        var clock = HybridClock()
        let seen = HybridTimestamp(wallMilliseconds: 90_000, counter: .max)
        clock.observe(seen)
        let next = try #require(clock.tick(wallMilliseconds: 1))
        #expect(next == HybridTimestamp(wallMilliseconds: 90_001, counter: 0))
        clock.observe(HybridTimestamp(wallMilliseconds: 5))
        #expect(clock.latest == next)
    }

    @Test func `at the end of time a clock refuses and stays as it is`() {
        let last = HybridTimestamp(rawValue: Limits.greatestTimestamp)
        var clock = HybridClock(latest: HybridTimestamp(rawValue: last.rawValue - 1))
        #expect(clock.tick(wallMilliseconds: 0) == last)
        #expect(clock.tick(wallMilliseconds: 0) == nil)
        #expect(clock.tick(wallMilliseconds: Int64.max) == nil)
        #expect(clock.latest == last)
    }

    @Test func `a timestamp beyond all limits does not trap a clock`() {
        var clock = HybridClock(latest: HybridTimestamp(rawValue: .max))
        #expect(clock.tick(wallMilliseconds: 1) == nil)
    }

    @Test func `a wall time beyond the limits counts as the limit`() {
        #expect(HybridTimestamp(wallMilliseconds: -5) == .zero)
        let greatest = HybridTimestamp(wallMilliseconds: .max, counter: .max)
        #expect(greatest.rawValue == Limits.greatestTimestamp)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `whatever a clock observes and reads, it never issues the same twice`(seed: UInt64) {
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
