import AnabranchProtocol
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Jobs that read a whole zone, of which each zone has one at a time.
struct WholeZoneJobsTests {
    /// Runs a job of a zone until the gate opens.
    private func occupy(
        _ zone: String, of jobs: WholeZoneJobs, until gate: DispatchSemaphore
    ) throws -> DispatchGroup {
        let name = try ZoneName(zone)
        let begun = DispatchSemaphore(value: 0)
        let group = startThreads(1) { _ in
            try? jobs.run(in: name) {
                begun.signal()
                gate.wait()
            }
        }
        begun.wait()
        return group
    }

    @Test func `one zone has one job at a time, and others come back`() throws {
        let jobs = WholeZoneJobs(limit: 2)
        let gate = DispatchSemaphore(value: 0)
        let first = try occupy("a", of: jobs, until: gate)
        let error = #expect(throws: ProtocolError.self) {
            try jobs.run(in: try ZoneName("a")) { Issue.record("two jobs run") }
        }
        #expect(error?.code == .overloaded)
        #expect(try jobs.run(in: try ZoneName("b")) { 7 } == 7)
        let second = try occupy("b", of: jobs, until: gate)
        #expect(throws: ProtocolError.self) { try jobs.run(in: try ZoneName("c")) {} }
        for _ in 0..<2 { gate.signal() }
        first.wait()
        second.wait()
        #expect(try jobs.run(in: try ZoneName("a")) { 8 } == 8)
    }

    @Test func `a patient job waits`() throws {
        let jobs = WholeZoneJobs(limit: 1)
        let gate = DispatchSemaphore(value: 0)
        let first = try occupy("a", of: jobs, until: gate)
        let order = Mutex<[String]>([])
        let second = startThreads(1) { _ in
            try? jobs.run(in: ZoneName("b"), isPatient: true) { order.withLock { $0 += ["job"] } }
        }
        usleep(500_000)
        order.withLock { $0 += ["gate"] }
        gate.signal()
        first.wait()
        second.wait()
        #expect(order.withLock { $0 } == ["gate", "job"])
    }

    @Test func `a snapshot and a hash are told to come back while another job runs`() throws {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        _ = try zone.push(author.insertPerson().0)
        let request = SnapshotRequest(snapshot: nil, number: 0)
        let gate = DispatchSemaphore(value: 0)
        let job = try occupy("test", of: zone.service.jobs, until: gate)
        let calls: [() throws -> Void] = [
            { _ = try zone.service.snapshot(request) }, { _ = try zone.service.canonicalHash() },
            { _ = try zone.service.information() },
        ]
        for call in calls {
            let error = #expect(throws: ProtocolError.self, performing: call)
            #expect(error?.code == .overloaded)
        }
        // Pushes go on.
        #expect(try zone.push(author.insertPerson().0).refusal == nil)
        gate.signal()
        job.wait()
        for call in calls { try call() }
        // What is there already needs no job.
        let next = try occupy("test", of: zone.service.jobs, until: gate)
        for call in calls { try call() }
        gate.signal()
        next.wait()
    }
}
