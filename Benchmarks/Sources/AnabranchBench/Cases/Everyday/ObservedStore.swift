import Anabranch
import AnabranchSync
import Foundation
import Synchronization

/// A store that is observed and synced while it is used: a second context merges each change, a
/// fetched results controller follows a thousand objects in it, and an engine is live.
final class ObservedStore {
    struct Place {
        let daemon: BenchDaemon
        let zone: String
        let token: String
    }

    static let people = 1000

    private let container: PersistentContainer
    private let writing: BackgroundContext
    private let observing: BackgroundContext
    private let engine: SyncEngine
    private let moments = MergeMoments()
    // This property is used only in the bodies of the observing context.
    nonisolated(unsafe) private var results: FetchedResultsController<Person>?

    init(_ path: String, at place: Place) throws {
        container = try PersonStore.open(path)
        writing = container.newBackgroundContext()
        observing = container.newBackgroundContext()
        engine = try SyncBenchmark.engine(container, place.daemon, place.zone, place.token)
    }

    func fill() throws {
        let data = PeopleData(count: Self.people)
        try writing.performAndWait { context in try PersonStore.insert(data, into: context) }
    }

    func sync() async throws -> SyncOutcome {
        let outcome = try await engine.synchronize()
        guard outcome.isCaughtUp else { throw Unexpected("a store is not caught up: \(outcome)") }
        return outcome
    }

    /// Begins to observe. Every object is read, so that the context has each change to merge.
    func observe() throws {
        try observing.performAndWait { context in
            context.automaticallyMergesChangesFromParent = true
            let controller = FetchedResultsController(
                fetchRequest: try FetchRequest<Person>(sortedBy: \.age), context: context)
            controller.delegate = moments
            try controller.performFetch()
            if let people = controller.fetchedObjects {
                for person in people { _ = person.checksum }
            }
            results = controller
        }
        moments.observe(container.coordinator)
    }

    /// The time from the end of the transaction with the last remote change until the controller
    /// had told its delegate of it.
    var mergeDuration: Duration { moments.duration }

    func live(_ body: () async throws -> [Duration]) async throws -> [Duration] {
        engine.start()
        let times = try await body()
        await engine.stop()
        return times
    }

    /// Changes objects one by one, each in a save.
    ///
    /// - Returns: The time of each change with its save.
    func change(_ turns: Range<Int>) throws -> [Duration] {
        try writing.performAndWait { context in
            let people = try context.fetch(FetchRequest<Person>(sortedBy: \.age))
            return try turns.map { turn in
                let person = people[turn % people.count]
                let name = "Turn \(turn)"
                let clock = ContinuousClock()
                let start = clock.now
                person.firstName = name
                try context.save()
                return clock.now - start
            }
        }
    }

    /// The number of observed objects with the name that ``change(_:)`` gave in a turn.
    func observedCount(ofTurn turn: Int) -> Int {
        observing.performAndWait { _ in
            results?.fetchedObjects?.count { $0.firstName == "Turn \(turn)" } ?? 0
        }
    }

    func count() throws -> Int {
        try writing.performAndWait { try $0.count(for: FetchRequest<Person>()) }
    }

    /// Inserts objects one by one, each in a save.
    func insert(_ count: Int) throws {
        let data = PeopleData(count: count)
        try writing.performAndWait { context in
            for row in 0..<count {
                try PersonStore.insert(data, rows: row..<row + 1, into: context)
                if row % 1000 == 999 { context.reset() }
            }
        }
    }
}

/// When a store had a remote change, and when the fetched results did.
private final class MergeMoments: FetchedResultsControllerDelegate, Sendable {
    private let moments = Mutex<(stored: ContinuousClock.Instant, merged: ContinuousClock.Instant)>(
        (.now, .now))

    var duration: Duration { moments.withLock { $0.merged - $0.stored } }

    func observe(_ coordinator: PersistentStoreCoordinator) {
        // The coordinator lives as long as the store, so the observation never ends.
        _ = NotificationCenter.default.addObserver(
            forName: PersistentStoreCoordinator.remoteChange, object: coordinator, queue: nil
        ) { [self] _ in moments.withLock { $0.stored = .now } }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Person>) {
        moments.withLock { $0.merged = .now }
    }
}
