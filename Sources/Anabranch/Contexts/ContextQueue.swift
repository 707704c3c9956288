import Dispatch
import Synchronization

/// The queue that a context is confined to, and the test whether code runs on it.
///
/// The test is by a queue-specific value: on Linux main-actor code need not run on the thread
/// that the process began with.
struct ContextQueue: Sendable {
    let dispatchQueue: DispatchQueue
    private let number: UInt64

    private static let key = DispatchSpecificKey<UInt64>()
    private static let lastNumber = Atomic<UInt64>(0)

    private init(_ queue: DispatchQueue) {
        dispatchQueue = queue
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        queue.setSpecific(key: Self.key, value: number)
    }

    static let main = ContextQueue(.main)

    static func privateQueue() -> ContextQueue {
        ContextQueue(DispatchQueue(label: "anabranch.context"))
    }

    /// What to do, for messages.
    var advice: String {
        isMain
            ? "Use it in main-actor code that runs on the main queue."
            : "Use it in the closures of its perform(_:) and performAndWait(_:)."
    }

    var isMain: Bool { number == Self.main.number }

    /// Whether code runs on the queue, or waits on it for what the thread does on another one.
    var isCurrent: Bool {
        DispatchQueue.getSpecific(key: Self.key) == number || HeldQueues.contain(number)
    }

    /// Runs a body on the queue and waits for it; on the queue itself at once.
    ///
    /// What the thread is on now it goes on holding, so that the body may come back to it: a
    /// context reads from the one above it, whose queue may be that of the caller.
    func sync<Result>(_ body: () throws -> Result) rethrows -> Result {
        if isCurrent { return try body() }
        guard let present = DispatchQueue.getSpecific(key: Self.key) else {
            return try dispatchQueue.sync(execute: body)
        }
        return try HeldQueues.adding(present) { try dispatchQueue.sync(execute: body) }
    }
}

extension ContextQueue: CustomStringConvertible {
    var description: String {
        isMain ? "the main queue" : "its private queue '\(dispatchQueue.label)'"
    }
}
