import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct CallGateTests {
    @Test func `callers beyond the room for running and waiting are turned away at once`() throws {
        let gate = CallGate(running: 1, waiting: 1)
        let slot = CheckedSlot()
        let entered = Mutex(0)
        let outcomes = Mutex<[String]>([])
        let threads = startThreads(3) { _ in
            do throws(ValidationFailure) {
                try gate.run(for: "a", within: .seconds(60)) { () throws(ValidationFailure) in
                    entered.withLock { $0 += 1 }
                    slot.wait()
                }
                outcomes.withLock { $0.append("done") }
            } catch {
                outcomes.withLock { $0.append(error.cause) }
                slot.open()
                slot.open()
            }
        }
        threads.wait()
        #expect(
            outcomes.withLock { $0.sorted() } == ["done", "done", "too many pushes wait for it"])
        #expect(entered.withLock { $0 } == 2)
    }

    @Test func `a caller waits no longer than its time`() throws {
        let gate = CallGate(running: 1, waiting: 1)
        let slot = CheckedSlot()
        let isRunning = Mutex(false)
        let thread = startThreads(1) { _ in
            try? gate.run(for: "a", within: .seconds(60)) { () throws(ValidationFailure) in
                isRunning.withLock { $0 = true }
                slot.wait()
            }
        }
        while !isRunning.withLock({ $0 }) { usleepShortly() }
        let error = #expect(throws: ValidationFailure.self) {
            try gate.run(for: "a", within: .milliseconds(20)) { () throws(ValidationFailure) in }
        }
        #expect(error?.cause == "it is busy with earlier pushes")
        slot.open()
        thread.wait()
        try gate.run(for: "a", within: .milliseconds(20)) { () throws(ValidationFailure) in }
    }

    @Test func `a closed gate turns away the callers that wait and all later ones`() throws {
        let gate = CallGate(running: 1, waiting: 1)
        let slot = CheckedSlot()
        let outcomes = Mutex<[String]>([])
        let threads = startThreads(2) { _ in
            do throws(ValidationFailure) {
                try gate.run(for: "a", within: .seconds(600)) { () throws(ValidationFailure) in
                    slot.wait()
                }
                outcomes.withLock { $0.append("done") }
            } catch {
                outcomes.withLock { $0.append(error.cause) }
                slot.open()
            }
        }
        while gate.waitingCount == 0 { usleepShortly() }
        gate.close()
        threads.wait()
        #expect(outcomes.withLock { $0 } == ["the server is stopping", "done"])
        let error = #expect(throws: ValidationFailure.self) {
            try gate.run(for: "b", within: .seconds(600)) { () throws(ValidationFailure) in }
        }
        #expect(error?.cause == "the server is stopping")
    }

    @Test func `a zone has at most half of the room, and the others get their turn`() throws {
        let gate = CallGate(running: 2, waiting: 2)
        let slow = CheckedSlot()
        let entered = Mutex(0)
        let threads = startThreads(2) { _ in
            try? gate.run(for: "slow", within: .seconds(60)) { () throws(ValidationFailure) in
                entered.withLock { $0 += 1 }
                slow.wait()
            }
        }
        while entered.withLock({ $0 }) == 0 || gate.waitingCount == 0 { usleepShortly() }
        let error = #expect(throws: ValidationFailure.self) {
            try gate.run(for: "slow", within: .seconds(60)) { () throws(ValidationFailure) in }
        }
        #expect(error?.cause == "too many pushes wait for it")
        #expect(entered.withLock { $0 } == 1)
        for _ in 0..<3 {
            let zone = try gate.run(for: "quick", within: .milliseconds(20)) {
                () throws(ValidationFailure) in "quick"
            }
            #expect(zone == "quick")
        }
        slow.open()
        slow.open()
        threads.wait()
        #expect(entered.withLock { $0 } == 2)
        #expect(gate.waitingCount == 0)
    }

    @Test func `a zone behind another that waits is let pass`() throws {
        let gate = CallGate(running: 2, waiting: 4)
        let slots = ["a": CheckedSlot(), "b": CheckedSlot()]
        let order = Mutex<[String]>([])
        func start(_ zone: String) -> DispatchGroup {
            startThreads(1) { _ in
                try? gate.run(for: zone, within: .seconds(60)) { () throws(ValidationFailure) in
                    order.withLock { $0.append(zone) }
                    slots[zone]?.wait()
                }
            }
        }
        var threads = [start("a")]
        while order.withLock({ $0.count }) < 1 { usleepShortly() }
        threads.append(start("b"))
        while order.withLock({ $0.count }) < 2 { usleepShortly() }
        threads.append(start("a"))
        while gate.waitingCount < 1 { usleepShortly() }
        threads.append(start("c"))
        while gate.waitingCount < 2 { usleepShortly() }
        slots["b"]?.open()
        while order.withLock({ $0.count }) < 3 { usleepShortly() }
        #expect(order.withLock { $0 } == ["a", "b", "c"])
        for _ in 0..<2 { slots["a"]?.open() }
        for thread in threads { thread.wait() }
        #expect(order.withLock { $0 } == ["a", "b", "c", "a"])
    }
}
