import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AnabranchServer

/// A lock with a condition. No change of the wall clock makes its waits longer or shorter.
@Suite struct ConditionTests {
    @Test func `a wait ends at its time, and not before`() {
        let condition = Condition()
        let deadline = ContinuousClock.now + .milliseconds(30)
        condition.withLock {
            while condition.wait(until: deadline) {}
            #expect(ContinuousClock.now >= deadline)
            #expect(!condition.wait(until: deadline), "the time is over")
        }
    }

    @Test func `a broadcast ends all waits, and releases the lock meanwhile`() {
        let condition = Condition()
        let state = Mutex((waiting: 0, isOpen: false))
        let waiters = startThreads(4) { number in
            condition.withLock {
                state.withLock { $0.waiting += 1 }
                while !state.withLock({ $0.isOpen }) {
                    if number % 2 == 0 {
                        condition.wait()
                    } else {
                        #expect(condition.wait(until: .now + .seconds(3_000_000)))
                    }
                }
            }
        }
        while condition.withLock({ state.withLock { $0.waiting } }) < 4 { usleep(1000) }
        condition.withLock { state.withLock { $0.isOpen = true } }
        condition.broadcast()
        waiters.wait()
        #expect(state.withLock { $0.waiting } == 4)
    }
}
