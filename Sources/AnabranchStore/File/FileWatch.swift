import Dispatch
import Foundation
import Synchronization

/// Reports writes to a file by every process of this machine, through the kernel's inotify.
///
/// It reports once each time that it is armed. So a file that is written a thousand times a second
/// costs no more than its owner wants to know, and a file that is not written costs nothing.
final class FileWatch: Sendable {
    private struct State {
        var isArmed = false
        /// True if the file was or may have been removed or moved, so that its writes may not be
        /// those of the path.
        var isOver = false
    }

    private let state = Mutex(State())
    private let descriptor: Int32
    /// Resumed and suspended only while the state is locked.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Prepares the watch, without arming it.
    ///
    /// - Parameter tell: Called on another thread after a write, at most once each time that the
    ///   watch is armed.
    /// - Returns: `nil` if the system cannot watch the file.
    init?(_ path: String, _ tell: @escaping @Sendable () -> Void) {
        #if os(Linux)
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            // A file that is open somewhere is not deleted when its name is removed, but loses a
            // link, which is a change of its attributes.
            let events = UInt32(IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
            guard inotify_add_watch(descriptor, path, events) >= 0 else {
                close(descriptor)
                return nil
            }
            source = DispatchSource.makeReadSource(
                fileDescriptor: descriptor, queue: .global(qos: .utility))
            source.setCancelHandler { [descriptor] in close(descriptor) }
            source.setEventHandler { [weak self] in
                self?.takeEvents()
                tell()
            }
        #else
            return nil
        #endif
    }

    deinit {
        source.cancel()
        // A source must not be released while it is suspended.
        if state.withLock({ !$0.isArmed }) { source.resume() }
    }

    /// Makes the watch report the next write, or one since it has last reported.
    ///
    /// - Returns: False if the file is not watched any more, because it was removed or moved, or
    ///   because its attributes have changed. Another watch of the path takes its place.
    func arm() -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            if !state.isArmed { source.resume() }
            state.isArmed = true
            return true
        }
    }

    private func takeEvents() {
        state.withLock { state in
            state.isOver = Self.readEvents(descriptor) || state.isOver
            guard state.isArmed else { return }
            source.suspend()
            state.isArmed = false
        }
    }

    /// Reads all events that wait.
    ///
    /// - Returns: True if one of them says that the file was or may have been removed or moved.
    private static func readEvents(_ descriptor: Int32) -> Bool {
        #if os(Linux)
            var isOver = false
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return isOver }
                var start = 0
                while start + MemoryLayout<inotify_event>.size <= count {
                    let event = buffer.withUnsafeBytes {
                        $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
                    }
                    if event.mask & UInt32(IN_MODIFY) == 0 { isOver = true }
                    start += MemoryLayout<inotify_event>.size + Int(event.len)
                }
            }
        #else
            return true
        #endif
    }
}
