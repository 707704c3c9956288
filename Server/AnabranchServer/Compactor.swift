import AnabranchProtocol
import Foundation
import Synchronization

/// Compacts all zones of a server again and again, one after the other, on a thread of its own.
final class Compactor: Sendable {
    private let plan: CompactionPlan
    private let zones: OpenZones
    private let backEnd: any BackEnd
    private let log: RequestLog
    private let isStopping = Mutex(false)
    private let wake = Signal()
    private let done = DispatchSemaphore(value: 0)

    init(_ plan: CompactionPlan, zones: OpenZones, backEnd: any BackEnd, log: RequestLog) {
        self.plan = plan
        self.zones = zones
        self.backEnd = backEnd
        self.log = log
    }

    /// Begins; the first compaction is after one interval.
    ///
    /// - Throws: ``ThreadError`` if the process may have no further thread.
    func start() throws(ThreadError) {
        try SystemThread.start("compactor") { [self] in
            while !wake.wait(for: plan.interval) { compactAll() }
            done.signal()
        }
    }

    /// Lets no other zone be compacted.
    func beginStop() {
        isStopping.withLock { $0 = true }
        wake.give()
    }

    /// Waits for the zone that is being compacted, which the stop of its back end ends.
    func waitUntilStopped() { done.wait() }

    private func compactAll() {
        do {
            for name in try backEnd.zones() where !isStopping.withLock({ $0 }) { compact(name) }
        } catch {
            log.write(.error, "can't list the zones to compact: \(error)")
        }
    }

    private func compact(_ name: ZoneName) {
        do throws(ProtocolError) {
            let done = try zones.withZone(name) { zone throws(ProtocolError) in
                try zone.compact(by: plan)
            }
            guard let done, done.forgottenCount > 0 else { return }
            log.write(
                .info,
                "compacted zone \(name): forgot \(done.forgottenCount) change sets up to position "
                    + "\(done.startPosition)")
        } catch  where error.code == .shuttingDown {
            // The next daemon compacts the zone.
        } catch {
            log.write(.error, "can't compact zone \(name): \(error)")
        }
    }
}
