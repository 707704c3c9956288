import Dispatch
import Foundation
import Synchronization

/// Records SIGINT and SIGTERM, so that a command can close its files before it ends.
final class InterruptSignal: Sendable {
    private let state = Atomic(false)
    // Set only in the initializer, and kept alive afterwards.
    nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

    init() {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in
                self?.state.store(true, ordering: .relaxed)
            }
            source.resume()
            sources.append(source)
        }
    }

    deinit { for source in sources { source.cancel() } }

    var hasCome: Bool { state.load(ordering: .relaxed) }
}
