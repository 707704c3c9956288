import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AnabranchServer

@Suite struct GroupCommitTests {
    /// Runs jobs on a queue with a first transaction that waits until all other jobs are queued.
    private func runTogether(
        _ jobs: Int, _ work: @escaping @Sendable ([Int]) throws -> [Int]
    ) -> (results: [Int: Int], sizes: [Int]) {
        let sizes = Mutex<[Int]>([])
        let results = Mutex<[Int: Int]>([:])
        let entered = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let queue = CommitQueue<Int, Int>(maximumTogether: 64) { jobs in
            if sizes.withLock({ $0.isEmpty }) {
                entered.signal()
                gate.wait()
            }
            sizes.withLock { $0.append(jobs.count) }
            return try work(jobs)
        }
        let run: @Sendable (Int) -> Void = { job in
            guard let outcome = try? queue.run(job) else { return }
            results.withLock { $0[job] = outcome }
        }
        let first = startThreads(1) { _ in run(0) }
        entered.wait()
        let others = startThreads(jobs - 1) { run($0 + 1) }
        while queue.waitingCount < jobs - 1 { usleep(100) }
        gate.signal()
        first.wait()
        others.wait()
        return (results.withLock { $0 }, sizes.withLock { $0 })
    }

    @Test func `pushes that wait together share a transaction`() {
        let (results, sizes) = runTogether(9) { $0.map { $0 * 2 } }
        #expect(results.count == 9)
        #expect(results.allSatisfy { $0.value == $0.key * 2 })
        #expect(sizes == [1, 8])
    }

    /// The caller that ran the first transaction must not run those of all later callers too.
    @Test func `a caller returns after its own job, however many others wait`() {
        let hasReturned = DispatchSemaphore(value: 0)
        let inTime = Mutex<[Bool]>([])
        let entered = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let queue = CommitQueue<Int, Int>(maximumTogether: 1) { jobs in
            if jobs == [0] {
                entered.signal()
                gate.wait()
            } else {
                inTime.withLock {
                    $0.append(hasReturned.wait(timeout: .now() + 20) == .success)
                }
                hasReturned.signal()
            }
            return jobs
        }
        let first = startThreads(1) { _ in
            _ = try? queue.run(0)
            hasReturned.signal()
        }
        entered.wait()
        let others = startThreads(3) { _ = try? queue.run($0 + 1) }
        while queue.waitingCount < 3 { usleep(100) }
        gate.signal()
        first.wait()
        others.wait()
        #expect(inTime.withLock { $0 } == [true, true, true])
    }

    @Test func `one job that fails does not fail those beside it`() {
        struct Poison: Error {}
        let (results, sizes) = runTogether(6) { jobs in
            if jobs.contains(3) { throw Poison() }
            return jobs
        }
        #expect(results.keys.sorted() == [0, 1, 2, 4, 5])
        #expect(sizes == [1, 5, 1, 1, 1, 1, 1])
    }

    @Test(arguments: StorageKind.allCases)
    func `replicas that push at the same time all get their places`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        let service = zone.service
        let epoch = try service.head().epoch
        let positions = Mutex<[UInt64]>([])
        startThreads(16) { number in
            var author = TestAuthor(UInt64(number + 1))
            for _ in 0..<10 {
                let bytes = author.insertPerson().0.encoded()
                let response = try? service.push(
                    PushRequest(epoch: epoch, changeSets: [bytes]))
                positions.withLock { $0 += response?.acknowledgements.map(\.position) ?? [] }
            }
        }.wait()
        #expect(positions.withLock { $0.sorted() } == (1...160).map { UInt64($0) })
        #expect(try zone.records().count == 160)
    }
}

/// Starts separate threads, because callers that wait would exhaust a pool.
@discardableResult
func startThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> DispatchGroup {
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread {
            body(number)
            group.leave()
        }.start()
    }
    return group
}
