import Anabranch
import AnabranchSQLite
import AnabranchStore
import Foundation
import Synchronization
import TestSupport

/// The place of a test's store.
enum StoreKind: String, CaseIterable, Sendable {
    case file
    case memory

    /// The kind that most tests use. `ANABRANCH_TEST_STORES=memory` runs all tests of graphs with
    /// stores in memory.
    static let usual =
        ProcessInfo.processInfo.environment["ANABRANCH_TEST_STORES"]
        .flatMap { StoreKind(rawValue: $0) } ?? .file

    /// - Parameter path: The path of the file. For a store in memory it is only a name.
    func description(_ path: String) -> PersistentStoreDescription {
        switch self {
        case .file: PersistentStoreDescription(url: URL(filePath: path))
        case .memory: .inMemory(named: path)
        }
    }
}

/// A store of the tests' model in a temporary folder.
final class Graph: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    /// - Parameter change: Changes the store's description.
    init(
        _ kind: StoreKind = .usual,
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws {
        directory = try TemporaryDirectory("graph")
        container = try Self.open(directory, kind, change)
    }

    static func open(
        _ directory: TemporaryDirectory, _ kind: StoreKind = .usual,
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var description = kind.description(directory.file("company.anabranch"))
        change(&description)
        let container = PersistentContainer(
            model: try CompanyModel.make(), classes: CompanyModel.classes,
            storeDescription: description)
        try container.load()
        return container
    }

    func file(_ name: String) -> URL { directory.url.appending(path: name) }

    var coordinator: PersistentStoreCoordinator { container.coordinator }

    func context() -> BackgroundContext { container.newBackgroundContext() }

    /// Runs a block in a new context.
    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try context().performAndWait(body)
    }

    /// Runs a block in a context with the unsaved deletion of a boss that has a report.
    static func withDeletedBoss(
        _ body: (Graph, ManagedObjectContext, _ boss: Person, _ report: Person) throws -> Void
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            let anna = try context.person("Anna", boss: boss)
            try context.save()
            context.delete(boss)
            context.processPendingChanges()
            try body(graph, context, boss, anna)
        }
    }

    /// Creates a store, with a log of its statements that shows what a wrong count consists of.
    static func logging(
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> (graph: Graph, log: StatementLog?) {
        var log: StatementLog?
        let graph = try Graph { description in
            log = StatementLog(ofFile: description.url.path)
            change(&description)
        }
        return (graph, log)
    }

    /// The number of SELECT statements that the readers have run.
    var readStatements: Int { coordinator.store.readStatistics.selects }
}

/// Collects the notifications of a context.
final class NotificationLog: Sendable {
    private let changes = Mutex<[(name: Notification.Name, changes: ObjectIDChanges?)]>([])
    nonisolated(unsafe) private var tokens: [any NSObjectProtocol] = []

    init(_ names: Notification.Name..., of context: ManagedObjectContext) {
        tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                [weak self] notification in
                let content = notification.objectIDChanges
                self?.changes.withLock { $0.append((notification.name, content)) }
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    var names: [Notification.Name] { changes.withLock { $0.map(\.name) } }
    var all: [ObjectIDChanges] { changes.withLock { $0.compactMap(\.changes) } }

    func clear() { changes.withLock { $0 = [] } }
}

extension ManagedObjectContext {
    @discardableResult
    func person(
        _ name: String, age: Int64 = 0, boss: Person? = nil
    ) throws -> Person {
        let person = try insert(Person.self)
        person.firstName = name
        person.age = age
        if let boss { person.boss = boss }
        return person
    }

    func company(_ name: String) throws -> ManagedObject {
        let company = try insert("Company")
        company["name"] = .string(name)
        return company
    }

    func people(
        _ predicate: String? = nil, _ argument: (any PredicateArgument)? = nil
    ) throws -> [Person] {
        var request = FetchRequest<Person>()
        request.predicate = try predicate.map {
            try argument == nil ? FetchPredicate($0) : FetchPredicate($0, argument)
        }
        request.sorts = [FetchSort("firstName")]
        return try fetch(request)
    }
}
