import Foundation
import Synchronization

/// Sends requests to processes of one program, one line for each.
///
/// Each process serves one call at a time. They are as many as calls were ever made at once. One
/// that ends or breaks the form is killed, and the next call starts another. One that gives no
/// answer in time is killed and replaced at once.
///
/// A call gets the process of its zone's last call, if it is idle, and otherwise the one that has
/// been idle for the longest time. So what a zone leaves behind, such as the start of a program or
/// a large request to be freed, delays other zones as little as it can.
final class CommandValidation: ValidationChannel {
    /// The time in which all processes must end after their last call.
    private static let patience = Duration.milliseconds(500)

    private let path: String
    /// A process that no call uses, and the zone of the last call, which it or the process before
    /// it was asked for.
    private typealias Idle = (process: Coprocess, zone: String)

    /// In the order in which they became idle.
    private let idle = Mutex<[Idle]>([])

    /// Remembers the path of a program. SIGPIPE is ignored in this process from now on, because a
    /// write to a process that has ended raises it.
    init(_ path: String) {
        self.path = path
        signal(SIGPIPE, SIG_IGN)
    }

    func answer(
        to request: [UInt8], of zone: String, within timeout: Duration, unless stop: StopSignal
    ) throws(ValidationFailure) -> [UInt8] {
        let process = try quietProcess(for: zone)
        do throws(ValidationFailure) {
            let answer = try process.answer(to: request, within: timeout, unless: stop)
            idle.withLock { $0.append((process, zone)) }
            return answer
        } catch {
            process.end()
            if error == .noAnswer(within: timeout), let other = try? Coprocess(path) {
                idle.withLock { $0.append((other, zone)) }
            }
            throw error
        }
    }

    /// A process that waits for a request; one that has ended or has written without a request is
    /// replaced.
    private func quietProcess(for zone: String) throws(ValidationFailure) -> Coprocess {
        while let process = idle.withLock({ Self.take(from: &$0, for: zone) }) {
            if process.isQuiet { return process }
            process.end()
        }
        return try Coprocess(path)
    }

    private static func take(from idle: inout [Idle], for zone: String) -> Coprocess? {
        guard !idle.isEmpty else { return nil }
        return idle.remove(at: idle.lastIndex { $0.zone == zone } ?? 0).process
    }

    func close() {
        let processes = idle.withLock { idle in
            defer { idle = [] }
            return idle.map(\.process)
        }
        for process in processes { process.closeInput() }
        let deadline = ContinuousClock.now + Self.patience
        for process in processes { process.end(by: deadline) }
    }
}
