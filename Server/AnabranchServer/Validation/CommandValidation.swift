import Foundation
import Synchronization

/// Sends requests to processes of one program, one line for each.
///
/// Each process serves one call at a time. They are as many as calls were ever made at once. One
/// that ends or breaks the form is killed, and the next call starts another. One that gives no
/// answer in time is killed and replaced at once, so that another zone's call need not wait for the
/// start of a program.
final class CommandValidation: ValidationChannel {
    /// The time in which all processes must end after their last call.
    private static let patience = Duration.milliseconds(500)

    private let path: String
    /// The processes that no call uses.
    private let idle = Mutex<[Coprocess]>([])

    /// Remembers the path of a program. SIGPIPE is ignored in this process from now on, because a
    /// write to a process that has ended raises it.
    init(_ path: String) {
        self.path = path
        signal(SIGPIPE, SIG_IGN)
    }

    func answer(
        to request: [UInt8], within timeout: Duration, unless stop: StopSignal
    ) throws(ValidationFailure) -> [UInt8] {
        let process = try quietProcess()
        do throws(ValidationFailure) {
            let answer = try process.answer(to: request, within: timeout, unless: stop)
            idle.withLock { $0.append(process) }
            return answer
        } catch {
            process.end()
            if error == .noAnswer(within: timeout), let other = try? Coprocess(path) {
                // The last of the idle ones is taken first, so this one has time to start.
                idle.withLock { $0.insert(other, at: 0) }
            }
            throw error
        }
    }

    /// A process that waits for a request; one that has ended or has written without a request is
    /// replaced.
    private func quietProcess() throws(ValidationFailure) -> Coprocess {
        while let process = idle.withLock({ $0.popLast() }) {
            if process.isQuiet { return process }
            process.end()
        }
        return try Coprocess(path)
    }

    func close() {
        let processes = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        for process in processes { process.closeInput() }
        let deadline = ContinuousClock.now + Self.patience
        for process in processes { process.end(by: deadline) }
    }
}
