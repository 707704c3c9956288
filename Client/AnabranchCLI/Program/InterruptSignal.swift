import Dispatch
import Foundation
import Synchronization

/// Control-C and a polite kill as something to ask for, so that what is open is closed in order.
final class InterruptSignal: Sendable {
    private let state = Atomic(false)
    // Set once here, and only kept alive.
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
