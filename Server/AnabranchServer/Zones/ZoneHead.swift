package import AnabranchReplication
import Synchronization

/// The end of a zone's log.
package struct ZoneHead: Hashable, Sendable {
    package var epoch: EpochID
    /// The position of the last entry; zero while the log is empty.
    package var position: UInt64
}

/// The observers that are notified when a zone's log grows.
package final class HeadObservers: Sendable {
    typealias Observer = @Sendable (ZoneHead) -> Void

    package init() {}

    private let observers = Mutex<(next: UInt64, all: [UInt64: Observer])>((0, [:]))

    func add(_ observer: @escaping Observer) -> UInt64 {
        observers.withLock { observers in
            observers.next += 1
            observers.all[observers.next] = observer
            return observers.next
        }
    }

    func remove(_ number: UInt64) {
        _ = observers.withLock { $0.all.removeValue(forKey: number) }
    }

    var count: Int { observers.withLock { $0.all.count } }

    /// Notifies all observers.
    ///
    /// It is called after the commit, on the thread of the push: an observer must not block.
    func notify(_ head: ZoneHead) {
        for observer in observers.withLock({ Array($0.all.values) }) { observer(head) }
    }
}

extension ZoneService {
    /// Calls `observer` after every push that made the log grow.
    ///
    /// - Returns: The number of the observer, for ``removeObserver(_:)``.
    package func addObserver(_ observer: @escaping @Sendable (ZoneHead) -> Void) -> UInt64 {
        observers.add(observer)
    }

    package func removeObserver(_ number: UInt64) { observers.remove(number) }
}
