import AnabranchProtocol
import Foundation
import Synchronization

/// A file with one line of JSON for each push that changed a zone or was refused, for each read of
/// data, and for each token that was created or revoked. No line has data of users. `RefusalLines`
/// bounds the lines about requests that were refused and changed nothing.
///
/// A line is written by one call before the request is answered, behind the file's end, so programs
/// that read or rotate the file see whole lines, and several processes may write to one file. The
/// pushes of one zone are in the order of its log. A line is not flushed to the disk: it survives
/// the end of the process, not a loss of power.
public final class AuditLog: Sendable {
    private struct Output {
        var file: FileHandle
        /// True if the last line could be written only in part.
        var endsInLine = false
    }

    /// The path of the file.
    public let path: String
    private let wallMilliseconds: @Sendable () -> Int64
    private let output: Mutex<Output>
    private let refusals = Mutex(RefusalLines())

    /// Opens the file, or creates it so that at most its owner and its group can read it, as the
    /// umask of the process allows.
    ///
    /// - Parameter wallMilliseconds: The time since 1970-01-01 UTC.
    ///
    /// - Throws: ``HTTPServerError`` if the file can't be opened.
    public init(path: String, wallMilliseconds: @escaping @Sendable () -> Int64) throws {
        self.path = path
        self.wallMilliseconds = wallMilliseconds
        output = Mutex(Output(file: try Self.open(path)))
    }

    private static func open(_ path: String) throws -> FileHandle {
        let descriptor = Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw HTTPServerError(
                "Can't open the audit log \(path): \(String(cString: strerror(errno))). Make its "
                    + "folder, and let the daemon's account write to the file.")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Opens the file again, after another program has renamed it.
    ///
    /// - Throws: ``HTTPServerError`` if the file can't be opened; then lines go to the former one.
    public func reopen() throws {
        let opened = Output(file: try Self.open(path))
        output.withLock { $0 = opened }
    }

    /// Writes a line. The part of a line that a full disk has left is ended before.
    ///
    /// - Throws: ``HTTPServerError`` if not the whole line could be written.
    func write(_ line: JSONLine) throws {
        let text = line.finish()
        try output.withLock { output in
            let bytes = Array((output.endsInLine ? "\n" + text : text).utf8)
            let count = bytes.withUnsafeBytes {
                Foundation.write(output.file.fileDescriptor, $0.baseAddress, $0.count)
            }
            if count > 0 { output.endsInLine = bytes[count - 1] != UInt8(ascii: "\n") }
            guard count != bytes.count else { return }
            let cause = count < 0 ? String(cString: strerror(errno)) : "its disk is full"
            throw HTTPServerError("Can't write to the audit log \(path) because \(cause).")
        }
    }

    /// Begins the line of a refused request.
    ///
    /// - Returns: `nil` if the request gets no line, because its right was refused too often in the
    ///   present minute.
    func beginRefusal(
        _ event: String, of origin: RequestOrigin?, zone: ZoneName
    ) -> (line: JSONLine, omitted: Int64?)? {
        let omitted = refusals.withLock {
            $0.admit(
                .init(zone: zone.string, right: origin?.holder),
                wallMilliseconds: wallMilliseconds())
        }
        return omitted.map { (begin(event), $0 > 0 ? Int64($0) : nil) }
    }

    /// Begins a line with the time and the kind of event.
    func begin(_ event: String) -> JSONLine {
        var line = JSONLine()
        line.append("time", ShownTime.text(wallMilliseconds: wallMilliseconds()))
        line.append("event", event)
        return line
    }
}
