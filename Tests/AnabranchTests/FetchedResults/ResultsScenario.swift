import Anabranch
import Foundation
import Testing

/// Records the calls of a controller to its delegate.
final class ResultsLog<Object: ManagedObject>: FetchedResultsControllerDelegate {
    enum Call: Equatable {
        case will
        case section(FetchedResultsChangeType, String, Int)
        case object(FetchedResultsChangeType, ManagedObjectID, IndexPath?, IndexPath?)
        case did
    }

    private(set) var calls: [Call] = []
    private(set) var deletedSectionCounts: [Int] = []
    var whenChanged: () -> Void = {}
    /// The controller, kept as long as the log.
    var results: FetchedResultsController<Object>?

    func clear() { calls = [] }

    /// The changes of objects, without those of sections.
    var objects: [Call] {
        calls.filter { if case .object = $0 { true } else { false } }
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {
        calls.append(.will)
    }

    func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, atSectionIndex index: Int,
        for type: FetchedResultsChangeType
    ) {
        calls.append(.section(type, section.name, index))
        if type == .delete { deletedSectionCounts.append(section.numberOfObjects) }
    }

    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        calls.append(.object(type, object.objectID, indexPath, newIndexPath))
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
        calls.append(.did)
        whenChanged()
    }
}

extension IndexPath {
    init(_ section: Int, _ item: Int) { self.init(item: item, section: section) }
}

extension FetchRequest where Object == Person {
    static func people(
        _ predicate: String? = nil, sortedBy keys: String..., batch: Int = 0
    ) throws -> FetchRequest {
        var request = FetchRequest()
        request.predicate = try predicate.map { try FetchPredicate($0) }
        request.sorts = keys.map { FetchSort($0) }
        request.fetchBatchSize = batch
        return request
    }
}

extension ManagedObjectContext {
    /// Returns fetched results of people, and a log of the controller's reports.
    func results(
        _ request: FetchRequest<Person>, sections: String? = nil
    ) throws -> (FetchedResultsController<Person>, ResultsLog<Person>) {
        let results = FetchedResultsController(
            fetchRequest: request, context: self, sectionNameKeyPath: sections)
        let log = ResultsLog<Person>()
        results.delegate = log
        log.results = results
        try results.performFetch()
        return (results, log)
    }
}

extension ManagedObjectContext {
    /// Inserts a boss with a report, a company and a group.
    func insertFirm() throws {
        let boss = try insert(Employee.self)
        boss.firstName = "Boss"
        try person("Rep", age: 10, boss: boss)
        let company = try insert("Company")
        company["name"] = "Acme"
        boss.company = company
        let group = try insert(Group.self)
        group.title = "y"
        group.members.insert(boss)
    }

    /// Changes an attribute of every object to which the boss has a relationship.
    func editFirm() throws {
        try people("firstName == 'Rep'")[0].age = 30
        for company in try fetch(FetchRequest<ManagedObject>(entityName: "Company")) {
            company["name"] = "Zinc"
        }
        for group in try fetch(FetchRequest<Group>()) { group.title = "x" }
    }
}

extension FetchedResultsController where Object == Person {
    var names: [String?] { fetchedObjects?.map(\.firstName) ?? [] }
    var sectionNames: [String] { sections?.map(\.name) ?? [] }
}

extension Graph {
    /// Saves in another context, and returns the saved changes.
    func changes(
        _ body: (ManagedObjectContext) throws -> Void
    ) throws -> ObjectIDChanges {
        try inContext { context throws in
            let log = NotificationLog(ManagedObjectContext.didSave, of: context)
            try body(context)
            try context.save()
            return log.all.last ?? ObjectIDChanges()
        }
    }
}
