import Dispatch
import Foundation

/// Holds a thread until a test lets it go on.
final class CheckedSlot: Sendable {
    private let signal = DispatchSemaphore(value: 0)

    func wait() { signal.wait() }
    func open() { signal.signal() }
}

func usleepShortly() { usleep(2000) }
