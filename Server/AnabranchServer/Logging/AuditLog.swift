import AnabranchProtocol
import AnabranchReplication
import Foundation
import Synchronization

/// A file with one line of JSON for each push that changed a zone or was refused.
///
/// A line is written by one call before the push is answered, behind the file's end, so programs
/// that read or rotate the file see whole lines. The lines of one zone are in the order of its log.
/// A line is not flushed to the disk: it survives the end of the process, not a loss of power.
public final class AuditLog: Sendable {
    /// The path of the file.
    public let path: String
    private let wallMilliseconds: @Sendable () -> Int64
    private let file: Mutex<FileHandle>

    /// Opens the file, or creates it so that only its owner can read it.
    ///
    /// - Parameter wallMilliseconds: The time since 1970-01-01 UTC.
    ///
    /// - Throws: ``HTTPServerError`` if the file can't be opened.
    public init(path: String, wallMilliseconds: @escaping @Sendable () -> Int64) throws {
        self.path = path
        self.wallMilliseconds = wallMilliseconds
        file = Mutex(try Self.open(path))
    }

    private static func open(_ path: String) throws -> FileHandle {
        let descriptor = Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw HTTPServerError(
                "Can't open the audit log \(path) because \(String(cString: strerror(errno))).")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Opens the file again, after another program has renamed it.
    ///
    /// - Throws: ``HTTPServerError`` if the file can't be opened; then lines go to the former one.
    public func reopen() throws {
        let opened = try Self.open(path)
        file.withLock { $0 = opened }
    }

    /// Writes the line of a push, unless it only repeated what the zone held.
    ///
    /// - Throws: ``HTTPServerError`` if not the whole line could be written.
    func write(_ record: PushRecord) throws {
        guard !record.isRepetition else { return }
        let bytes = Array(line(of: record).utf8)
        try file.withLock { file in
            let count = bytes.withUnsafeBytes {
                Foundation.write(file.fileDescriptor, $0.baseAddress, $0.count)
            }
            guard count != bytes.count else { return }
            let cause = count < 0 ? String(cString: strerror(errno)) : "its disk is full"
            throw HTTPServerError("Can't write to the audit log \(path) because \(cause).")
        }
    }

    private func line(of record: PushRecord) -> String {
        var line = JSONLine()
        line.append("time", JSONLine.time(wallMilliseconds()))
        line.append("request", record.origin?.request)
        line.append("zone", record.zone.string)
        switch record.origin?.holder {
        case .token(let number): line.append("token", number)
        case .subject(let name): line.append("subject", name)
        case nil: break
        }
        line.append("address", record.origin?.address)
        line.append("replicas", Self.replicas(record.dots))
        line.append("accepted", Int64(record.acceptedCount))
        line.append("held", Int64(record.heldCount))
        line.append("rejected", Int64(record.rejections.count))
        line.append("refused", Int64(record.refusedCount))
        if let first = record.newPositions.first, let last = record.newPositions.last {
            line.append("firstPosition", Int64(first))
            line.append("lastPosition", Int64(last))
        }
        if !record.rejections.isEmpty { line.append("codes", Self.codes(record.rejections)) }
        line.append("error", record.refusal?.code.rawValue)
        return line.finish()
    }

    /// The replicas in the order in which the request names them, each with its least and its
    /// greatest sequence number.
    private static func replicas(_ dots: [Dot]) -> [JSONLine] {
        var order: [ReplicaID] = []
        var ranges: [ReplicaID: ClosedRange<UInt64>] = [:]
        for dot in dots {
            if let range = ranges[dot.replica] {
                ranges[dot.replica] =
                    min(range.lowerBound, dot.sequence)...max(range.upperBound, dot.sequence)
            } else {
                order.append(dot.replica)
                ranges[dot.replica] = dot.sequence...dot.sequence
            }
        }
        return order.map { replica in
            var line = JSONLine()
            line.append("replica", replica.description)
            line.append("first", ranges[replica].map { Int64($0.lowerBound) })
            line.append("last", ranges[replica].map { Int64($0.upperBound) })
            return line
        }
    }

    /// The codes of rejections in alphabetical order, each with its number.
    private static func codes(_ codes: [Rejection.Code]) -> [JSONLine] {
        let counts = codes.reduce(into: [:]) { $0[$1.rawValue, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { code, count in
            var line = JSONLine()
            line.append("code", code)
            line.append("count", Int64(count))
            return line
        }
    }
}

extension AuditLog {
    /// Returns a function that writes a push, and reports a failure in the server's log and
    /// metrics. The push itself has succeeded, so it is answered all the same.
    func recorder(
        _ log: RequestLog, _ metrics: ServerMetrics
    ) -> @Sendable (PushRecord) -> Void {
        { record in
            do { try self.write(record) } catch {
                metrics.auditFailures.add()
                log.write(.error, "\(error)")
            }
        }
    }
}
