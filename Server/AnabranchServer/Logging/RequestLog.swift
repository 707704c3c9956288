import Foundation

/// One line of JSON for each request and each event of the server's own.
///
/// Keys stand in a fixed order. A token's secret is in none of them: headers are never logged.
public struct RequestLog: Sendable {
    public enum Level: String, Sendable, Comparable, CaseIterable {
        case debug, info, warning, error

        public static func < (left: Level, right: Level) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    public let least: Level
    private let wallMilliseconds: @Sendable () -> Int64
    private let sink: @Sendable (String) -> Void

    /// - Parameters:
    ///   - least: What is less is not written.
    ///   - sink: Takes whole lines with their end, from any thread.
    public init(
        least: Level = .info, wallMilliseconds: @escaping @Sendable () -> Int64,
        sink: @escaping @Sendable (String) -> Void
    ) {
        self.least = least
        self.wallMilliseconds = wallMilliseconds
        self.sink = sink
    }

    public func write(_ record: HTTPRecord) {
        let level: Level =
            record.status >= 500 ? .error : (200..<400).contains(record.status) ? .info : .warning
        guard level >= least else { return }
        var line = begin(level, "request")
        line.append("method", record.method)
        line.append("path", String(record.path.prefix(200)))
        line.append("status", Int64(record.status))
        line.append("milliseconds", record.duration / .milliseconds(1))
        line.append("zone", record.log.zone)
        line.append("replica", record.log.replica)
        line.append("token", record.log.token)
        line.append("received", Int64(record.bytesReceived))
        line.append("sent", Int64(record.bytesSent))
        line.append("error", record.log.error)
        line.append("cause", record.log.cause)
        if record.isCutOff { line.append("cutOff", true) }
        sink(line.finish())
    }

    public func write(_ level: Level, _ message: String) {
        guard level >= least else { return }
        sink(begin(level, message).finish())
    }

    private func begin(_ level: Level, _ message: String) -> JSONLine {
        var line = JSONLine()
        line.append("time", time())
        line.append("level", level.rawValue)
        line.append("message", message)
        return line
    }

    /// Put together from whole milliseconds, which a `Date` rounds.
    private func time() -> String {
        let (seconds, milliseconds) = wallMilliseconds().quotientAndRemainder(dividingBy: 1000)
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return text.dropLast() + "." + "\(1000 + milliseconds)".dropFirst() + "Z"
    }
}
