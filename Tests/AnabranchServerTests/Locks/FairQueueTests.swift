import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// The order in which threads work on requests.
struct FairQueueTests {
    private static func purpose(_ zone: String, _ client: Int = 0) -> WorkerPool.Purpose {
        WorkerPool.Purpose(zone: zone, client: client)
    }

    /// A queue whose jobs are their own purposes.
    private struct Queue {
        var jobs: FairQueue<WorkerPool.Purpose>

        mutating func add(_ zone: String, _ client: Int) -> Bool {
            let purpose = FairQueueTests.purpose(zone, client)
            return jobs.add(purpose, for: purpose)
        }

        mutating func take() -> WorkerPool.Purpose? { jobs.take()?.job }
    }

    private static func queue(_ threads: Int, limit: Int) -> Queue {
        Queue(jobs: FairQueue(room: threads, limit: limit))
    }

    @Test func `zones take turns`() {
        var queue = Self.queue(8, limit: 100)
        for client in 0..<3 { _ = queue.add("busy", client) }
        for zone in ["a", "b"] { _ = queue.add(zone, 9) }
        var order: [String] = []
        while let job = queue.take() {
            order.append(job.zone)
            queue.jobs.end(job)
        }
        #expect(order == ["busy", "a", "b", "busy", "busy"])
    }

    @Test func `the clients of a zone take turns`() {
        var queue = Self.queue(8, limit: 100)
        for _ in 0..<4 { _ = queue.add("a", 1) }
        for client in 2...3 { _ = queue.add("a", client) }
        let order = (0..<6).compactMap { _ in queue.take()?.client }
        #expect(order == [1, 2, 3, 1, 1, 1])
    }

    @Test func `a zone and a client get three quarters of the threads`() {
        var queue = Self.queue(8, limit: 100)
        for client in 0..<8 { _ = queue.add("busy", client) }
        let running = (0..<8).compactMap { _ in queue.take() }
        #expect(running.count == 6 && queue.jobs.waitingCount == 2 && !queue.jobs.hasReady)
        // One client, in a zone of its own each time.
        for number in 0..<8 { _ = queue.add("zone \(number)", 100) }
        let others = (0..<8).compactMap { _ in queue.take() }
        #expect(others.count == 6)
        queue.jobs.end(running[0])
        let next = queue.take()
        #expect(next == Self.purpose("busy", 6))
    }

    @Test func `a job that waits can be removed`() {
        var queue = FairQueue<Int>(room: 1, limit: 8)
        let purpose = Self.purpose("a")
        for number in 1...2 { _ = queue.add(number, for: purpose) }
        #expect(queue.take()?.job == 1)
        #expect(!queue.hasRoom(purpose) && queue.hasRoom(Self.purpose("b", 1)))
        #expect(queue.remove(for: purpose) { $0 == 2 } && queue.waitingCount == 0)
        #expect(!queue.remove(for: purpose) { $0 < 3 })
        queue.end(purpose)
        #expect(queue.hasRoom(purpose))
        #expect(queue.add(3, for: purpose) && queue.take()?.job == 3)
    }

    @Test func `a job that is removed costs its zone and its client no turn`() {
        var queue = Self.queue(8, limit: 100)
        for zone in ["a", "b"] {
            for client in [1, 1, 2] { _ = queue.add(zone, client) }
        }
        #expect(queue.jobs.remove(for: Self.purpose("a", 1)) { _ in true })
        let order = (0..<5).compactMap { _ in queue.take() }
        #expect(order.map(\.zone) == ["a", "b", "a", "b", "b"])
        #expect(order.map(\.client) == [1, 1, 2, 2, 1])
    }

    @Test func `one zone fills three quarters of the queue`() {
        var queue = Self.queue(1, limit: 8)
        let busy = (0..<9).filter { queue.add("busy", $0) }
        let quiet = (0..<3).filter { queue.add("quiet", $0) }
        #expect(busy == [0, 1, 2, 3, 4, 5] && quiet == [0, 1])
    }

    @Test func `one client fills three quarters of the places of a zone`() {
        var queue = Self.queue(1, limit: 16)
        let busy = (0..<20).filter { _ in queue.add("a", 1) }
        #expect(busy.count == 9 && queue.add("a", 2))
        // Jobs of no client have all of them, as at the gate of the hook.
        var gate = FairQueue<Int>(room: 1, limit: 16)
        let admitted = (0..<20).filter { gate.add($0, for: JobPurpose(zone: "a", client: nil)) }
        #expect(admitted.count == 12)
        #expect(gate.removeAll() == Array(0..<12) && gate.waitingCount == 0)
    }

    @Test(arguments: TestLength.seeds(40)) func `every job runs once and no share is exceeded`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let threads = Int.random(in: 1...9, using: &generator)
        var queue = Self.queue(threads, limit: 1000)
        var running: [WorkerPool.Purpose] = []
        var (added, done) = (0, 0)
        for _ in 0..<500 {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                let zone = "\(Int.random(in: 0..<4, using: &generator))"
                if queue.add(zone, Int.random(in: 0..<5, using: &generator)) {
                    added += 1
                }
            case 1:
                guard running.count < threads, let job = queue.take() else { continue }
                running.append(job)
            default:
                guard let ended = running.indices.randomElement(using: &generator) else {
                    continue
                }
                queue.jobs.end(running.remove(at: ended))
                done += 1
            }
            let zones = Dictionary(grouping: running, by: \.zone)
            let clients = Dictionary(grouping: running, by: \.client)
            #expect(zones.values.allSatisfy { $0.count <= queue.jobs.share })
            #expect(clients.values.allSatisfy { $0.count <= queue.jobs.share })
        }
        while done < added {
            if let job = queue.take() { running.append(job) }
            guard let next = running.popLast() else { break }
            queue.jobs.end(next)
            done += 1
        }
        #expect(done == added && queue.jobs.waitingCount == 0)
    }

    @Test func `a pool without room for its threads says so and can be stopped`() {
        // No process has so much memory for a stack.
        let pool = WorkerPool(threads: 2, limit: 1, stackBytes: 1 << 50)
        let error = #expect(throws: ThreadError.self) { try pool.start() }
        #expect(error.map { "\($0)".contains("greatest number of threads") } ?? false)
        pool.stop()
    }

    @Test func `a zone with slow jobs leaves a thread for the others`() throws {
        let pool = WorkerPool(threads: 4, limit: 100)
        try pool.start()
        defer { pool.stop() }
        let gate = DispatchSemaphore(value: 0)
        let slow = Mutex(0)
        for client in 0..<20 {
            #expect(
                pool.submit(1, for: Self.purpose("slow", client)) {
                    gate.wait()
                    slow.withLock { $0 += 1 }
                })
        }
        let quick = DispatchSemaphore(value: 0)
        for client in 0..<50 {
            #expect(pool.submit(1, for: Self.purpose("quick", client)) { quick.signal() })
        }
        for _ in 0..<50 { #expect(quick.wait(timeout: .now() + 60) == .success) }
        #expect(slow.withLock { $0 } == 0)
        for _ in 0..<20 { gate.signal() }
        pool.stop()
        #expect(slow.withLock { $0 } == 20)
        #expect(!pool.submit(1, for: Self.purpose("late")) {})
    }
}
