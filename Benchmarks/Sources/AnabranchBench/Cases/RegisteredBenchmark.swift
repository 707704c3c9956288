import Anabranch
import Foundation

/// What one change costs in a context in which many objects are in use: as much among 100,000 as
/// among 1,000.
struct RegisteredBenchmark: Benchmark {
    static let name = "registered"
    static let summary = "one change among 1,000 and among 100,000 registered objects"

    private static let sizes = [1000, 100_000]
    private static let repetitions = 40
    /// Microseconds for what lies in no cache of the processor among so many.
    private static let coldMemory = 10.0
    private static let cause = """
        Something looks at every registered object, or at every row of the file.
        """

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        var times: [[Duration]] = []
        for size in Self.sizes {
            let crew = try Crew(workbench.path("crew\(size)"), size: size)
            times.append(
                try CrewTask.allCases.map { task in
                    try (0..<Self.repetitions * workbench.rounds).map {
                        try crew.time(task, $0)
                    }.median
                })
        }
        return zip(CrewTask.allCases, zip(times[0], times[1])).flatMap { task, pair in
            let (few, many) = (pair.0.microseconds, pair.1.microseconds)
            return [
                Figure("\(task.rawValue), among 1,000", .amount(few, unit: "µs")),
                Figure(
                    "\(task.rawValue), among 100,000", .amount(many, unit: "µs"),
                    goal: few * 2 + Self.coldMemory, cause: Self.cause),
            ]
        }
    }
}

/// What is done once, in one event of its own.
private enum CrewTask: String, CaseIterable {
    case save = "set and save"
    case process = "set and process"
    case merge = "merge another context's save"
    case delete = "delete with its rules and save"
    case refresh = "refresh and read"
}

/// A store of workers with tasks, and a context in which all of them are in use.
private final class Crew {
    private let container: PersistentContainer
    private let context: BackgroundContext
    private let other: BackgroundContext
    // Used in the bodies of the context only.
    nonisolated(unsafe) private var workers: [ManagedObject] = []
    nonisolated(unsafe) private var tasks: [ManagedObject] = []

    init(_ path: String, size: Int) throws {
        let model = try ManagedObjectModel {
            Entity("Worker") {
                Attribute("age", .integer64)
                Attribute("name", .string)
                Relationship("boss", to: "Worker", inverse: "reports")
                Relationship("reports", toMany: "Worker", inverse: "boss")
                Relationship("tasks", toMany: "Task", inverse: "worker", deleteRule: .cascade)
            }
            Entity("Task") {
                Attribute("title", .string)
                Relationship("worker", to: "Worker", inverse: "tasks")
            }
        }
        container = PersistentContainer(model: model, url: URL(fileURLWithPath: path))
        try container.load()
        context = container.newBackgroundContext()
        other = container.newBackgroundContext()
        try other.performAndWait { try Self.fill($0, size: size) }
        try context.performAndWait { context in
            var request = FetchRequest<ManagedObject>(entityName: "Worker")
            request.sorts = [FetchSort("age")]
            workers = try context.fetch(request)
            tasks = try context.fetch(FetchRequest<ManagedObject>(entityName: "Task"))
            for object in workers + tasks { _ = try object.value(forKey: object.entity.firstKey) }
        }
    }

    /// Half are workers, each under the one five before it, and half are tasks.
    private static func fill(_ context: ManagedObjectContext, size: Int) throws {
        var made: [ManagedObject] = []
        for number in 0..<size / 2 {
            let worker = try context.insert("Worker")
            try worker.setValue(.integer(Int64(number)), forKey: "age")
            try worker.setValue(.string("Worker \(number)"), forKey: "name")
            if number >= 5 { try worker.setObject(made[number - 5], forKey: "boss") }
            made.append(worker)
            let task = try context.insert("Task")
            try task.setValue(.string("Task \(number)"), forKey: "title")
            try task.setObject(worker, forKey: "worker")
        }
        try context.save()
    }

    /// - Parameter turn: Another object each time.
    func time(_ task: CrewTask, _ turn: Int) throws -> Duration {
        // Deletions take from the end, everything else is done to the others.
        let index = turn * 7 % (workers.count / 2)
        switch task {
        case .save: return try timed { try self.rename(index, turn, in: $0).save() }
        case .process:
            return try timed { try self.rename(index, turn, in: $0).processPendingChanges() }
        case .merge:
            let changes = try changesOfOther(index, turn)
            return try timed { try $0.mergeChanges(from: changes) }
        case .delete:
            return try timed { context in
                context.delete(self.workers.removeLast())
                try context.save()
            }
        case .refresh:
            return try timed { context in
                try context.refresh(self.workers[index], mergeChanges: false)
                _ = try self.workers[index].value(forKey: "name")
            }
        }
    }

    private func timed(_ body: (ManagedObjectContext) throws -> Void) throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        try context.performAndWait { try body($0) }
        return clock.now - start
    }

    private func rename(
        _ index: Int, _ turn: Int, in context: ManagedObjectContext
    ) throws -> ManagedObjectContext {
        try workers[index].setValue(.string("Renamed \(turn)"), forKey: "name")
        return context
    }

    private func changesOfOther(_ index: Int, _ turn: Int) throws -> ObjectIDChanges {
        // What is pending here would be in conflict with it.
        let id = try context.performAndWait { context in
            if context.hasChanges { try context.save() }
            return self.workers[index].objectID
        }
        try other.performAndWait { context in
            try context.existingObject(with: id)
                .setValue(.string("Elsewhere \(turn)"), forKey: "name")
            try context.save()
        }
        return ObjectIDChanges(updated: [id])
    }
}

extension EntityDescription {
    /// The name of its first attribute.
    fileprivate var firstKey: String { slots[0].name }
}

extension Duration {
    fileprivate var microseconds: Double { seconds * 1e6 }
}
