#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The queues of contexts on which the present thread waits for itself: it runs a body on another
/// queue for them, so that nobody else can be on them.
///
/// Kept by thread and not as a task's value: a task that the body begins runs beside it.
enum HeldQueues {
    /// One queue, and those that were held before; it lives on the stack of who waits.
    private struct Link {
        let number: UInt64
        let earlier: UnsafeRawPointer?
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "Can't create a thread-specific key.")
        return key
    }()

    static func contain(_ number: UInt64) -> Bool {
        var next = UnsafeRawPointer(pthread_getspecific(key))
        while let link = next?.load(as: Link.self) {
            if link.number == number { return true }
            next = link.earlier
        }
        return false
    }

    /// Runs a body while the thread holds one queue more.
    static func adding<Result>(
        _ number: UInt64, _ body: () throws -> Result
    ) rethrows -> Result {
        let earlier = pthread_getspecific(key)
        let link = Link(number: number, earlier: UnsafeRawPointer(earlier))
        defer { pthread_setspecific(key, earlier) }
        return try withUnsafePointer(to: link) { pointer in
            pthread_setspecific(key, pointer)
            return try body()
        }
    }
}
