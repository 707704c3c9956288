import Foundation

/// Threads that a server needs for as long as it runs.
///
/// `Thread` of Foundation does not report that the system gave it no thread. Whatever waits for
/// its end would then wait for ever.
enum SystemThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread, which ends with its work.
    ///
    /// - Parameters:
    ///   - name: The name that tools of the system show.
    ///   - stackBytes: The size of its stack; `nil` for the usual one.
    ///
    /// - Throws: ``ThreadError`` if the process may have no further thread.
    static func start(
        _ name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        let work = Unmanaged.passRetained(
            Work {
                Thread.current.name = name
                body()
            })
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        defer {
            pthread_attr_destroy(attributes)
            attributes.deallocate()
        }
        if let stackBytes { pthread_attr_setstacksize(attributes, stackBytes) }
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let failure = pthread_create(&thread, attributes, run, work.toOpaque())
        guard failure != 0 else { return }
        work.release()
        throw ThreadError(code: failure)
    }

    #if canImport(Darwin)
        private static let run:
            @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }
    #else
        private static let run:
            @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }
    #endif
}

/// The reason why a thread could not be started.
struct ThreadError: Error, CustomStringConvertible {
    /// The system's error.
    let code: Int32

    var description: String {
        "Can't start a thread because of this error: \(String(cString: strerror(code))). Raise the "
            + "greatest number of threads (ulimit -u, TasksMax=, or the limit of a container), or "
            + "take fewer --workers."
    }
}
