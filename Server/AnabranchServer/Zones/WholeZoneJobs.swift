import AnabranchProtocol

/// Jobs that read a whole zone, such as a snapshot.
///
/// A zone has at most one at a time, and all zones together have a limit, so that most threads of a
/// server stay free for short requests.
package final class WholeZoneJobs: Sendable {
    private let limit: Int
    private let ended = Condition()
    /// Used only while `ended` is locked.
    nonisolated(unsafe) private var running: Set<ZoneName> = []

    /// Creates a queue without jobs.
    ///
    /// - Parameter limit: The greatest number of jobs at a time.
    package init(limit: Int = .max) { self.limit = max(limit, 1) }

    /// The time that a request waits for another one's job.
    private static let patience = Duration.milliseconds(250)

    /// Runs a job when the zone has no other one. So the job looks first if another one has done
    /// its work.
    ///
    /// - Parameter isPatient: True to wait until the job can run. Otherwise it waits for a moment.
    ///
    /// - Throws: Errors of the job; `overloaded` if it could not run.
    func run<Result>(
        in zone: ZoneName, isPatient: Bool = false, _ job: () throws -> Result
    ) throws -> Result {
        try begin(in: zone, until: isPatient ? nil : .now + Self.patience)
        defer { end(in: zone) }
        return try job()
    }

    /// - Parameter end: The end of the wait; `nil` to wait for as long as it takes.
    private func begin(in zone: ZoneName, until end: ContinuousClock.Instant?) throws(ProtocolError)
    {
        let isRunning = ended.withLock {
            while running.contains(zone) || running.count >= limit {
                guard let end else {
                    ended.wait()
                    continue
                }
                guard ended.wait(until: end) else { return false }
            }
            running.insert(zone)
            return true
        }
        guard isRunning else {
            throw ProtocolError(
                .overloaded,
                "Can't read all of zone \(zone) now because the server does that for another "
                    + "request: try again.")
        }
    }

    private func end(in zone: ZoneName) {
        ended.withLock {
            running.remove(zone)
            ended.broadcast()
        }
    }
}
