import AnabranchModel
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import Anabranch

/// A request of the random tests.
struct RandomRequest: Sendable, CustomStringConvertible {
    var predicate: String?
    var sorts: [(path: String, isAscending: Bool, isFolded: Bool)]
    var sections: String?
    var limit = 0
    var offset = 0
    var batch = 0

    var description: String {
        "\(predicate ?? "all") by \(sorts.map(\.path)) in \(sections ?? "one section"), "
            + "\(limit) from \(offset), \(batch) at a time"
    }

    init(_ random: inout SeededGenerator) {
        let predicates: [String?] = [
            nil, "age >= 3", "age < 8 AND firstName != 'c'", "lastName IN {'a', 'b', 'B'}",
            "company.name > 'b'", "ANY reports.age > 5", "boss.age > 4 OR boss == nil",
            "ANY groups.title == 'x'", "boss.company.name == 'a'", "groups.@count > 1",
            "SUBQUERY(reports, $r, $r.company.name == 'b').@count > 0",
        ]
        predicate = predicates[Int.random(in: predicates.indices, using: &random)]
        let paths = ["age", "firstName", "lastName", "company.name", "boss.age", "reports.@count"]
        sorts = []
        for _ in 0...Int.random(in: 0..<2, using: &random) {
            let path = paths[Int.random(in: paths.indices, using: &random)]
            sorts.append((path, !random.oneIn(3), path.hasSuffix("ame") && random.oneIn(3)))
        }
        sections = random.oneIn(2) ? sorts[0].path : nil
        if random.oneIn(3) { limit = Int.random(in: 1..<12, using: &random) }
        if random.oneIn(3) { offset = Int.random(in: 0..<6, using: &random) }
        if random.oneIn(2) { batch = Int.random(in: 1..<8, using: &random) }
    }

    func request() throws -> FetchRequest<Person> {
        var request = FetchRequest<Person>()
        request.predicate = try predicate.map { try FetchPredicate($0) }
        request.sorts = sorts.map {
            FetchSort(
                $0.path, ascending: $0.isAscending, options: $0.isFolded ? [.caseInsensitive] : [])
        }
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.fetchBatchSize = batch
        return request
    }

    func results(
        in context: ManagedObjectContext
    ) throws -> FetchedResultsController<Person> {
        FetchedResultsController(
            fetchRequest: try request(), context: context, sectionNameKeyPath: sections)
    }

    /// Returns the sections of a new controller, which has followed no change.
    func fetched(in context: ManagedObjectContext) throws -> [ResultsTable.Section] {
        let results = try results(in: context)
        try results.performFetch()
        return ResultsTable.read(results)
    }
}

/// The reference model of a result, computed from every object.
struct ReferenceResult {
    let sections: [ResultsTable.Section]
    /// The visible content of each object.
    let values: [ManagedObjectID: String]

    init(_ random: RandomRequest, _ context: ManagedObjectContext) throws {
        let request = try random.request()
        var sorts = request.sorts
        if random.sections != nil, !sorts[0].options.isEmpty {
            sorts.insert(FetchSort(sorts[0].keyPath, ascending: sorts[0].isAscending), at: 1)
        }
        let entity = try #require(context.model.entity(named: "Person"))
        let resolved = try sorts.map { try $0.resolved(for: entity) }
        let people = try context.fetch(FetchRequest<Person>())
        let found = try people.filter {
            try request.predicate?.evaluate(with: $0) ?? true
        }.sorted { left, right in
            for sort in resolved {
                let order = try sort.order(left, right)
                if order != .equal { return order == .less }
            }
            return left.objectID.localID < right.objectID.localID
        }
        let rest = found.dropFirst(request.fetchOffset)
        let window = request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest
        var sections = random.sections == nil ? [ResultsTable.Section(name: "", ids: [])] : []
        for person in window {
            let name = Self.name(of: person, random.sections)
            if sections.last?.name != name { sections.append(.init(name: name, ids: [])) }
            sections[sections.count - 1].ids.append(person.objectID)
        }
        self.sections = sections
        values = Dictionary(
            uniqueKeysWithValues: window.map { person in
                // A reference to a record that another context deleted changes in faults too, but
                // only registered objects report it.
                let boss = random.batch > 0 ? 0 : person.boss?.objectID.localID ?? 0
                return (
                    person.objectID,
                    "\(person.age) \(person.firstName ?? "-") \(person.lastName ?? "-") \(boss)"
                )
            })
    }

    private static func name(of person: Person, _ path: String?) -> String {
        switch path {
        case "age": "\(person.age)"
        case "firstName": person.firstName ?? ""
        case "lastName": person.lastName ?? ""
        // An object with a deletion that may be denied still exists.
        case "company.name": person.company?["name"].text ?? ""
        case "boss.age": person.boss.map { "\($0.age)" } ?? ""
        case "reports.@count": "\(person.reports.count)"
        default: ""
        }
    }
}

/// Edits a context at random, as one of several.
struct RandomEditor {
    let context: ManagedObjectContext

    func edit(_ random: inout SeededGenerator) throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1, 2: try insert(&random)
        case 3, 4: if let person = try anyone(&random) { context.delete(person) }
        case 5: try editCompany(&random)
        case 6: try editGroup(&random)
        case 7, 8: try relate(&random)
        case 9: try anyone(&random)?.company = try company(&random)
        default: try editPerson(&random)
        }
    }

    private func text(_ random: inout SeededGenerator) -> String? {
        ["a", "A", "b", "B", "c", "d", nil][Int.random(in: 0..<7, using: &random)]
    }

    private func anyone(_ random: inout SeededGenerator) throws -> Person? {
        var request = FetchRequest<Person>()
        request.sorts = [FetchSort("SELF")]
        return try context.fetch(request).randomElement(using: &random)
    }

    private func insert(_ random: inout SeededGenerator) throws {
        let person =
            try random.oneIn(4)
            ? context.insert(Employee.self) : context.insert(Person.self)
        person.age = Int64.random(in: 0..<10, using: &random)
        person.firstName = text(&random)
        person.lastName = text(&random)
        if random.oneIn(2) { person.company = try company(&random) }
    }

    private func editPerson(_ random: inout SeededGenerator) throws {
        guard let person = try anyone(&random) else { return }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: person.age = Int64.random(in: 0..<10, using: &random)
        case 1: person.firstName = text(&random)
        default: person.lastName = text(&random)
        }
    }

    private func company(_ random: inout SeededGenerator) throws -> ManagedObject? {
        var request = FetchRequest<ManagedObject>(entityName: "Company")
        request.sorts = [FetchSort("SELF")]
        return try context.fetch(request).randomElement(using: &random)
    }

    private func editCompany(_ random: inout SeededGenerator) throws {
        guard let company = try random.oneIn(3) ? nil : company(&random) else {
            let company = try context.insert("Company")
            company["name"] = "a"
            return
        }
        company["name"] = .string(text(&random) ?? "e")
    }

    private func editGroup(_ random: inout SeededGenerator) throws {
        var request = FetchRequest<Group>()
        request.sorts = [FetchSort("SELF")]
        guard let group = try context.fetch(request).randomElement(using: &random),
            !random.oneIn(4)
        else {
            try context.insert(Group.self).title = random.oneIn(2) ? "x" : "y"
            return
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: context.delete(group)
        case 1: group.title = random.oneIn(2) ? "x" : "y"
        case 2:
            if let member = group.members.first(where: { _ in true }) {
                group.members.remove(member)
            }
        default: if let person = try anyone(&random) { group.members.insert(person) }
        }
    }

    private func relate(_ random: inout SeededGenerator) throws {
        guard let person = try anyone(&random), let other = try anyone(&random) else { return }
        person.boss = random.oneIn(3) ? nil : other
    }
}
