import Anabranch
import Foundation

/// A store of workers with tasks, and a context in which all of them are registered.
final class Crew {
    private let container: PersistentContainer
    private let context: BackgroundContext
    private let other: BackgroundContext
    // These properties are used only in the bodies of the context.
    nonisolated(unsafe) private var workers: [ManagedObject] = []
    nonisolated(unsafe) private var tasks: [ManagedObject] = []
    nonisolated(unsafe) private let undoStack = UndoStack()
    /// A counter, so that each renaming sets a new name.
    nonisolated(unsafe) private var renamings = 0

    init(_ path: String, size: Int) throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Worker") {
                AttributeDeclaration("age", .integer64)
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("boss", to: "Worker", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Worker", inverse: "boss")
                RelationshipDeclaration(
                    "tasks", toMany: "Task", inverse: "worker", deleteRule: .cascade)
            }
            EntityDeclaration("Task") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("worker", to: "Worker", inverse: "tasks")
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

    /// Inserts objects: half are workers, each reporting to the one five before it, and half are
    /// tasks.
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

    var timedTasks: [RegisteredTask] {
        CrewTask.allCases.map { task in
            RegisteredTask(title: task.rawValue) { try self.time(task, $0) }
        }
    }

    /// Times one task.
    ///
    /// - Parameter turn: A number that selects another object each time.
    private func time(_ task: CrewTask, _ turn: Int) throws -> Duration {
        // Deletions remove from the end; every other task uses the other objects.
        let index = turn * 7 % (workers.count / 2)
        switch task {
        case .save: return try timed { try self.rename(index, in: $0).save() }
        case .process:
            return try timed { try self.rename(index, in: $0).processPendingChanges() }
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
        case .undo:
            try editUndoably(index)
            return try timed { $0.undo() }
        case .redo:
            try editUndoably(index)
            context.performAndWait { $0.undo() }
            return try timed { $0.redo() }
        }
    }

    private func timed(_ body: (ManagedObjectContext) throws -> Void) throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        try context.performAndWait { try body($0) }
        return clock.now - start
    }

    private func rename(
        _ index: Int, in context: ManagedObjectContext
    ) throws -> ManagedObjectContext {
        renamings += 1
        try workers[index].setValue(.string("Renamed \(renamings)"), forKey: "name")
        return context
    }

    /// Changes an object without other changes, in an event that can be undone.
    private func editUndoably(_ index: Int) throws {
        try context.performAndWait { context in
            if context.hasChanges { try context.save() }
            context.undoManager = self.undoStack
            try self.rename(index, in: context).processPendingChanges()
        }
    }

    private func changesOfOther(_ index: Int, _ turn: Int) throws -> ObjectIDChanges {
        // Unsaved changes in this context would conflict with it.
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

/// A task that is done once, in one event of its own.
private enum CrewTask: String, CaseIterable {
    case save = "set and save"
    case process = "set and process"
    case merge = "merge another context's save"
    case delete = "delete with its rules and save"
    case refresh = "refresh and read"
    case undo = "undo an edit"
    case redo = "redo an edit"
}

extension EntityDescription {
    /// The name of the entity's first attribute.
    fileprivate var firstKey: String { attributes[0].name }
}
