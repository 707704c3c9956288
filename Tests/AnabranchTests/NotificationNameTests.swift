import Foundation
import Testing

@testable import Anabranch

/// Names of notifications that are posted only if there can be an observer.
struct NotificationNameTests {
    private let text = "test-\(UUID())"

    @Test func `a notification is posted from the moment at which its name was asked for`() {
        let name = NotificationName(text)
        let object = NSObject()
        nonisolated(unsafe) var numbers: [Int] = []
        let token = NotificationCenter.default.addObserver(
            forName: Notification.Name(text), object: object, queue: nil
        ) { notification in
            if let number = notification.userInfo?["number"] as? Int { numbers.append(number) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        var contents = 0
        func post(_ number: Int) {
            name.post(from: object) {
                contents += 1
                return ["number": number]
            }
        }
        #expect(!name.isObserved)
        post(1)
        #expect(contents == 0)
        #expect(name.forObservers == Notification.Name(text))
        #expect(name.isObserved)
        post(2)
        post(3)
        #expect(numbers == [2, 3])
    }
}
