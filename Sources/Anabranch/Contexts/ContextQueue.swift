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
            ? "Use it from code of the main actor that runs on the main queue."
            : "Use it in the bodies of its perform(_:) and performAndWait(_:)."
    }

    var isMain: Bool { number == Self.main.number }
    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == number }
}

extension ContextQueue: CustomStringConvertible {
    var description: String {
        isMain ? "the main queue" : "its private queue '\(dispatchQueue.label)'"
    }
}
