/// Writes the pushes and reads of a server to its audit log, if it keeps one.
///
/// A failure is reported in the server's log and metrics. The request itself has succeeded or was
/// refused already, so it is answered all the same.
struct AuditRecorder: Sendable {
    private let audit: AuditLog?
    private let log: RequestLog
    private let metrics: ServerMetrics

    init(_ audit: AuditLog?, log: RequestLog, metrics: ServerMetrics) {
        self.audit = audit
        self.log = log
        self.metrics = metrics
    }

    @Sendable func record(push: PushRecord) { attempt { try audit?.write(push) } }

    @Sendable func record(read: ReadRecord) { attempt { try audit?.write(read) } }

    private func attempt(_ write: () throws -> Void) {
        do { try write() } catch {
            metrics.auditFailures.add()
            log.write(.error, "\(error)")
        }
    }
}
