import Anabranch
import Foundation

/// A store of members, and a fetched results controller that lists all of them.
///
/// The controller reports every change to a delegate.
final class Roster {
    private let container: PersistentContainer
    private let context: BackgroundContext
    // These properties are used only in the bodies of the context.
    nonisolated(unsafe) private var results: FetchedResultsController<ManagedObject>?
    nonisolated(unsafe) private var members: [ManagedObject] = []
    nonisolated(unsafe) private let reader = RosterReader()

    init(_ path: String, size: Int) throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Member") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("rank", .integer64)
            }
        }
        container = PersistentContainer(model: model, url: URL(fileURLWithPath: path))
        try container.load()
        context = container.newBackgroundContext()
        try container.newBackgroundContext().performAndWait { context in
            for number in 0..<size { try Self.insert(number * Self.distance, into: context) }
            try context.save()
        }
        try context.performAndWait { context in
            var request = FetchRequest<ManagedObject>(entityName: "Member")
            request.sorts = [FetchSort("rank")]
            let results = FetchedResultsController(fetchRequest: request, context: context)
            results.delegate = reader
            try results.performFetch()
            members = results.fetchedObjects.map(Array.init) ?? []
            self.results = results
        }
    }

    /// The distance between neighbours, so that other members can be inserted between them.
    private static let distance = 1_000_000

    var timedTasks: [RegisteredTask] {
        RosterTask.allCases.map { task in
            RegisteredTask(title: task.rawValue) { try self.time(task, $0) }
        }
    }

    private func time(_ task: RosterTask, _ turn: Int) throws -> Duration {
        let index = turn * 7919 % members.count
        // A position between two neighbours, half of the list away.
        let rank = (index + members.count / 2) % members.count * Self.distance + 1 + turn
        switch task {
        case .edit:
            return try timed(.update) { _ in
                try self.members[index].setValue(.string("Renamed \(turn)"), forKey: "name")
            }
        case .move:
            return try timed(.move) { _ in
                try self.members[index].setValue(.integer(Int64(rank)), forKey: "rank")
            }
        case .insert: return try timed(.insert) { try Self.insert(rank, into: $0) }
        case .delete:
            return try timed(.delete) { context in
                self.members.swapAt(index, self.members.count - 1)
                context.delete(self.members.removeLast())
            }
        }
    }

    /// Times one change until the delegate was notified, then saves it.
    private func timed(
        _ kind: FetchedResultsChangeType, _ change: (ManagedObjectContext) throws -> Void
    ) throws -> Duration {
        try context.performAndWait { context in
            self.reader.heard = []
            let clock = ContinuousClock()
            let start = clock.now
            try change(context)
            context.processPendingChanges()
            let time = clock.now - start
            guard self.reader.heard == [kind] else {
                throw UnexpectedChanges(expected: kind, heard: self.reader.heard)
            }
            try context.save()
            return time
        }
    }

    private static func insert(_ rank: Int, into context: ManagedObjectContext) throws {
        let member = try context.insert("Member")
        try member.setValue(.string("Member \(rank)"), forKey: "name")
        try member.setValue(.integer(Int64(rank)), forKey: "rank")
    }
}

/// A task that is done once, in one event of its own.
private enum RosterTask: String, CaseIterable {
    case edit = "edit told by fetched results"
    case move = "move told by fetched results"
    case insert = "insertion told by fetched results"
    case delete = "deletion told by fetched results"
}

/// Records the kinds of the reported changes.
private final class RosterReader: FetchedResultsControllerDelegate {
    var heard: [FetchedResultsChangeType] = []

    func controller(
        _ controller: FetchedResultsController<ManagedObject>, didChange object: ManagedObject,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) { heard.append(type) }
}

/// The error of a change that was reported as another kind.
private struct UnexpectedChanges: Error, CustomStringConvertible {
    let expected: FetchedResultsChangeType
    let heard: [FetchedResultsChangeType]

    var description: String { "Fetched results told of \(heard) instead of one \(expected)." }
}
