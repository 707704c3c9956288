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
                try gate.run(within: .seconds(60)) { () throws(ValidationFailure) in
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
            try? gate.run(within: .seconds(60)) { () throws(ValidationFailure) in
                isRunning.withLock { $0 = true }
                slot.wait()
            }
        }
        while !isRunning.withLock({ $0 }) { usleepShortly() }
        let error = #expect(throws: ValidationFailure.self) {
            try gate.run(within: .milliseconds(20)) { () throws(ValidationFailure) in }
        }
        #expect(error?.cause == "it is busy with earlier pushes")
        slot.open()
        thread.wait()
        try gate.run(within: .milliseconds(20)) { () throws(ValidationFailure) in }
    }
}
