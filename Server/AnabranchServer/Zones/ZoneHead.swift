public import AnabranchReplication
import Synchronization

/// The end of a zone's log.
public struct ZoneHead: Hashable, Sendable {
    public var epoch: EpochID
    /// Of the last entry; zero while the log is empty.
    public var position: UInt64

    public init(epoch: EpochID, position: UInt64) {
        self.epoch = epoch
        self.position = position
    }
}

/// Who wants to know when a zone's log grows.
final class HeadObservers: Sendable {
    typealias Observer = @Sendable (ZoneHead) -> Void

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

    /// Called after the commit, on the thread of the push: an observer must not block.
    func tell(_ head: ZoneHead) {
        for observer in observers.withLock({ Array($0.all.values) }) { observer(head) }
    }
}

extension ZoneService {
    /// Calls `observer` after every push that made the log grow.
    ///
    /// - Returns: What ``removeObserver(_:)`` takes.
    public func addObserver(_ observer: @escaping @Sendable (ZoneHead) -> Void) -> UInt64 {
        observers.add(observer)
    }

    public func removeObserver(_ number: UInt64) { observers.remove(number) }
}
