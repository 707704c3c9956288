import Foundation
import Synchronization

/// Writes one line of JSON for each request and for each event of the server itself.
///
/// Keys have a fixed order. No line contains a token's secret: headers are never logged.
public struct RequestLog: Sendable {
    /// The severity of a line.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Level: String, Sendable, Comparable, CaseIterable {
        /// The levels in ascending order of severity.
        case debug, info, warning, error

        /// Orders levels by severity.
        public static func < (left: Level, right: Level) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    /// The state that all copies of a log share.
    private final class Shared: Sendable {
        let level: Mutex<Level>
        let lostLines = Mutex(0)
        init(_ level: Level) { self.level = Mutex(level) }
    }

    private let shared: Shared
    private let wallMilliseconds: @Sendable () -> Int64
    private let sink: @Sendable (String) throws -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - least: The least severe level that is written.
    ///   - wallMilliseconds: The time since 1970-01-01 UTC.
    ///   - sink: Writes whole lines with their line ends; called from any thread. A line for which
    ///     it throws is lost and counted, and nothing else happens.
    public init(
        least: Level = .info, wallMilliseconds: @escaping @Sendable () -> Int64,
        sink: @escaping @Sendable (String) throws -> Void
    ) {
        shared = Shared(least)
        self.wallMilliseconds = wallMilliseconds
        self.sink = sink
    }

    /// The least severe level that is written.
    public var least: Level { shared.level.withLock { $0 } }

    /// The number of lines that could not be written, by all copies of the log.
    public var lostLines: Int { shared.lostLines.withLock { $0 } }

    /// Sets the least severe level that is written from now on, by all copies of the log.
    public func setLeast(_ level: Level) { shared.level.withLock { $0 = level } }

    /// Writes the line of a request; its level depends on the status.
    public func write(_ record: HTTPRecord) {
        let level: Level =
            record.status >= 500 ? .error : (200..<400).contains(record.status) ? .info : .warning
        guard level >= least else { return }
        var line = begin(level, "request")
        line.append("request", record.id)
        line.append("method", record.method.shownPath)
        line.append("path", record.path.shownPath)
        line.append("status", Int64(record.status))
        line.append("milliseconds", record.duration / .milliseconds(1))
        line.append("zone", record.log.zone)
        line.append("replica", record.log.replica)
        line.append("token", record.log.token)
        line.append("subject", record.log.subject)
        if !record.address.isEmpty { line.append("address", record.address) }
        line.append("received", Int64(record.bytesReceived))
        line.append("sent", Int64(record.bytesSent))
        line.append("error", record.log.error)
        line.append("cause", record.log.cause)
        if record.isCutOff { line.append("cutOff", true) }
        append(line)
    }

    /// Writes a line with a message.
    public func write(_ level: Level, _ message: String) {
        guard level >= least else { return }
        append(begin(level, message))
    }

    private func append(_ line: JSONLine) {
        do { try sink(line.finish()) } catch { shared.lostLines.withLock { $0 += 1 } }
    }

    private func begin(_ level: Level, _ message: String) -> JSONLine {
        var line = JSONLine()
        line.append("time", ShownTime.text(wallMilliseconds: wallMilliseconds()))
        line.append("level", level.rawValue)
        line.append("message", message)
        return line
    }
}
