import Foundation
import Synchronization

/// A name of notifications, which are posted only after the process has asked for the name.
///
/// A notification center does not say whether a notification has observers, and to post one costs
/// as much as to read a row. An observer needs the name. So as long as nothing has asked for it,
/// there is none.
final class NotificationName: Sendable {
    private let name: Notification.Name
    private let isAskedFor = Atomic(false)

    init(_ name: String) { self.name = Notification.Name(name) }

    /// The name, for observers. From now on the notifications are posted.
    var forObservers: Notification.Name {
        isAskedFor.store(true, ordering: .releasing)
        return name
    }

    /// False if there is certainly no observer.
    var isObserved: Bool { isAskedFor.load(ordering: .acquiring) }

    /// Posts a notification if there can be an observer.
    ///
    /// - Parameter content: Returns the content; it is called only for a notification.
    func post(from object: AnyObject, _ content: () -> [AnyHashable: Any]? = { nil }) {
        guard isObserved else { return }
        NotificationCenter.default.post(name: name, object: object, userInfo: content())
    }
}
