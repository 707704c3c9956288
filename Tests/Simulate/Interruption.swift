import Dispatch
import Foundation
import Synchronization

/// The first of the signals that ask the program to stop, so that an interrupted run can sum up.
final class Interruption: Sendable {
    private let signal = Mutex<Int32?>(nil)

    var isStopped: Bool { signal.withLock { $0 != nil } }

    /// The exit status that says which signal it was; `nil` if there was none.
    var status: Int32? { signal.withLock { $0.map { 128 + $0 } } }

    /// - Returns: Whether there was another signal before.
    func record(_ number: Int32) -> Bool {
        signal.withLock { present in
            defer { present = present ?? number }
            return present != nil
        }
    }
}

/// Watches SIGINT and SIGTERM as long as it exists.
///
/// The first signal lets the run come to its end early; a second one ends the process at once.
struct SignalWatch {
    private let sources: [any DispatchSourceSignal]

    init(_ interruption: Interruption) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            // A queue of its own: the run's threads are never free.
            let source = DispatchSource.makeSignalSource(
                signal: number, queue: DispatchQueue(label: "interruption"))
            source.setEventHandler {
                if interruption.record(number) { exit(128 + number) }
            }
            source.resume()
            return source
        }
    }
}
