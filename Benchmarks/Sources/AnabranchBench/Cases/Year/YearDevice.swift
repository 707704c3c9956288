import Anabranch
import AnabranchSync
import Foundation

/// One replica's store, which is used and then synced.
final class YearDevice {
    struct Place {
        let address: URL
        let zone: String
        let token: String
    }

    private let path: String
    private let place: Place
    private var container: PersistentContainer

    private static let people = 50_000
    /// A text of a usual length.
    private static let text = String(repeating: "A line of a note. ", count: 6)

    init(_ path: String, at place: Place) throws {
        self.path = path
        self.place = place
        container = try Self.open(path)
    }

    private static func open(_ path: String) throws -> PersistentContainer {
        var store = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        // A benchmark does not last for the days that the standard rule keeps.
        store.options.logRetention = LogRetention(byteCount: 4 << 20, leastAge: .zero)
        let container = PersistentContainer(
            model: try PersonStore.model(), classes: [Person.self], storeDescription: store)
        try container.load()
        return container
    }

    /// Closes the store and measures how long it takes to open it again.
    func reopen() throws -> Duration {
        container.coordinator.close()
        return try ContinuousClock().measure { container = try Self.open(path) }
    }

    /// Inserts the objects of the user's first day.
    func fill() throws {
        try container.newBackgroundContext().performAndWait { context in
            for number in 0..<Self.people { try Self.insert(number, into: context) }
            try context.save()
        }
    }

    private static func insert(_ number: Int, into context: ManagedObjectContext) throws {
        let person = try context.insert(Person.self)
        person.age = Int64(number % 1000)
        person.firstName = "Name \(number)"
        person.lastName = text
    }

    var isEmpty: Bool {
        get throws { try ids().isEmpty }
    }

    private func ids() throws -> [ManagedObjectID] {
        try container.newBackgroundContext().performAndWait { context in
            try context.objectIDs(for: FetchRequest<Person>())
        }
    }

    /// Saves objects one by one: eight of ten times a change, otherwise a new object or a deletion.
    ///
    /// - Returns: The time of each save.
    func use(_ saves: Int) throws -> [Duration] {
        var ids = try ids()
        var times: [Duration] = []
        try container.newBackgroundContext().performAndWait { context in
            for number in 0..<saves {
                let index = Int.random(in: 0..<ids.count)
                let kind = Int.random(in: 0..<10)
                switch kind {
                case 0: try Self.insert(number, into: context)
                case 1:
                    context.delete(try context.existingObject(with: ids[index]))
                    ids.swapAt(index, ids.count - 1)
                    ids.removeLast()
                default:
                    let person = try context.existingObject(with: ids[index]) as? Person
                    person?.age = Int64.random(in: 0..<1000)
                }
                let clock = ContinuousClock()
                let start = clock.now
                try context.save()
                times.append(clock.now - start)
                if number % 100 == 99 { context.reset() }
            }
        }
        return times
    }

    func sync() async throws {
        let engine = try SyncBenchmark.engine(
            container, place.address, place.zone, place.token)
        let outcome = try await engine.synchronize()
        guard outcome.isCaughtUp else { throw Unexpected("a device is not caught up: \(outcome)") }
    }

    func conflictCount() throws -> Int { try container.coordinator.conflictCount() }
}
