import Dispatch
import Foundation

/// Reports SIGINT and SIGTERM, so that a command can close its files before it ends.
final class InterruptSignal: Sendable {
    // Set only in the initializer, and kept alive afterwards.
    nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

    /// From now on the signals do not end the process, also after this object has gone.
    ///
    /// - Parameter report: Called on another thread for each signal, as long as this object exists.
    init(_ report: @escaping @Sendable () -> Void) {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { report() }
            source.resume()
            sources.append(source)
        }
    }

    deinit { for source in sources { source.cancel() } }
}
