import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AnabranchServer

@Suite struct GroupCommitTests {
    @Test func `pushes that wait together share a transaction`() throws {
        let sizes = Mutex<[Int]>([])
        let gate = DispatchSemaphore(value: 0)
        let queue = CommitQueue<Int, Int>(mostTogether: 64) { jobs in
            if sizes.withLock({ $0.isEmpty }) { gate.wait() }
            sizes.withLock { $0.append(jobs.count) }
            return jobs.map { $0 * 2 }
        }
        let results = Mutex<Set<Int>>([])
        let group = startThreads(9) { job in
            let outcome = try? queue.run(job)
            results.withLock { _ = $0.insert(outcome ?? -1) }
        }
        // The first waits in its transaction until the others stand behind it.
        while queue.waitingCount < 8 { usleep(100) }
        gate.signal()
        group.wait()
        #expect(results.withLock { $0 } == Set((0..<9).map { $0 * 2 }))
        #expect(sizes.withLock { $0 } == [1, 8])
    }

    @Test func `one job that fails does not fail those beside it`() throws {
        struct Poison: Error {}
        let gate = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        let queue = CommitQueue<Int, Int>(mostTogether: 64) { jobs in
            if isFirst.withLock({ first in
                defer { first = false }
                return first
            }) {
                gate.wait()
            }
            if jobs.contains(3) { throw Poison() }
            return jobs
        }
        let failed = Mutex<[Int]>([])
        let group = startThreads(6) { job in
            do { _ = try queue.run(job) } catch { failed.withLock { $0.append(job) } }
        }
        while queue.waitingCount < 5 { usleep(100) }
        gate.signal()
        group.wait()
        #expect(failed.withLock { $0 } == [3])
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

/// Threads of their own: callers that wait would use up a pool's.
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
