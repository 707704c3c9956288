import Anabranch
import Foundation
import Testing

@Suite struct `Fetch request templates` {
    private let league: League

    /// Inserts P1 to P4, of which P4 is a guest.
    init() throws {
        var plain = FetchRequestTemplate("plain", entity: "Person")
        plain.includesSubentities = false
        plain.includesPendingChanges = false
        plain.includesPropertyValues = false
        plain.returnsObjectsAsFaults = false
        plain.fetchBatchSize = 20
        let declaration = ModelDeclaration(
            entities: [
                EntityDeclaration("Person") {
                    AttributeDeclaration("age", .integer64, optional: false, default: 0)
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                    RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
                },
                EntityDeclaration("Guest", parent: "Person"),
            ],
            fetchRequestTemplates: [
                FetchRequestTemplate(
                    "older", entity: "Person", predicateFormat: "age > $MIN", fetchLimit: 10),
                FetchRequestTemplate(
                    "team", entity: "Person", predicateFormat: "boss == $BOSS AND name IN $NAMES"),
                plain,
            ])
        league = try League(try ManagedObjectModel(declaration))
        try league.inContext { context throws in
            let boss = try context.insert("Person")
            for (name, age) in [("P1", 30), ("P2", 17), ("P3", 45), ("P4", 0)] {
                let person =
                    name == "P1" ? boss : try context.insert(name == "P4" ? "Guest" : "Person")
                person["name"] = .string(name)
                person["age"] = .integer(Int64(age))
                if name == "P2" || name == "P3" { try person.setObject(boss, forKey: "boss") }
            }
            try context.save()
        }
    }

    private var model: ManagedObjectModel { league.coordinator.model }

    private func names(_ request: FetchRequest<ManagedObject>) throws -> [String] {
        try league.inContext { context throws in
            try context.fetch(request).map { try $0.value(forKey: "name") }.sorted()
        }
    }

    @Test func `a request made of one has the values of its variables`() throws {
        func older(than age: Int) throws -> [String] {
            try names(
                model.fetchRequestFromTemplate(
                    withName: "older", substitutionVariables: ["MIN": age, "OTHER": 1]))
        }
        #expect(try older(than: 20) == ["P1", "P3"])
        #expect(try older(than: 40) == ["P3"])
        let boss = try league.inContext { context throws in
            var request = FetchRequest<ManagedObject>(entityName: "Person")
            request.predicate = try FetchPredicate("name == 'P1'")
            return try #require(try context.objectIDs(for: request).first)
        }
        let team: FetchRequest<ManagedObject> = try model.fetchRequestFromTemplate(
            withName: "team", substitutionVariables: ["BOSS": boss, "NAMES": ["P2", "P4"]])
        #expect(try names(team) == ["P2"])
        let nobody: FetchRequest<ManagedObject> = try model.fetchRequestFromTemplate(
            withName: "team", substitutionVariables: ["BOSS": nil, "NAMES": ["P1", "P2", "P4"]])
        #expect(try names(nobody) == ["P1", "P4"])
    }

    @Test func `a template is read with its variables, and given them later`() throws {
        var request = try #require(
            try model.fetchRequestTemplate(forName: "older", as: ManagedObject.self))
        #expect(request.predicate?.predicateFormat == "age > $MIN" && request.fetchLimit == 10)
        let error = #expect(throws: FetchPredicateError.self) { try names(request) }
        #expect(error?.code == .unboundVariable)
        request.variables = ["MIN": 20]
        #expect(try names(request) == ["P1", "P3"])
        request.predicate = nil
        request.fetchLimit = 1
        #expect(try names(request).count == 1)
        let again = try model.fetchRequestTemplate(forName: "older", as: ManagedObject.self)
        #expect(again?.predicate?.predicateFormat == "age > $MIN" && again?.fetchLimit == 10)
        #expect(try model.fetchRequestTemplate(forName: "odler", as: ManagedObject.self) == nil)
    }

    @Test func `a template's settings are those of the request`() throws {
        let request = try #require(
            try model.fetchRequestTemplate(forName: "plain", as: ManagedObject.self))
        #expect(!request.includesSubentities && !request.includesPendingChanges)
        #expect(!request.includesPropertyValues && !request.returnsObjectsAsFaults)
        #expect(request.fetchBatchSize == 20 && request.fetchLimit == 0)
        #expect(try names(request) == ["P1", "P2", "P3"])
    }

    @Test func `an unknown template, a missing variable or a wrong value is a typed error`() throws
    {
        func make(
            _ name: String, _ variables: [String: (any PredicateArgument)?]
        ) throws -> FetchRequest<ManagedObject> {
            try model.fetchRequestFromTemplate(withName: name, substitutionVariables: variables)
        }
        let unknown = #expect(throws: PropertyError.self) { try make("odler", ["MIN": 20]) }
        #expect(unknown?.code == .unknownTemplate)
        #expect(unknown?.message.contains("'odler'") == true)
        #expect(unknown?.message.contains("older, plain, team") == true)
        let missing = #expect(throws: FetchPredicateError.self) { try make("older", ["MAX": 20]) }
        #expect(missing?.code == .unboundVariable && missing?.entity == "Person")
        #expect(missing?.message.contains("$MIN") == true)
        let wrong = #expect(throws: FetchPredicateError.self) { try make("older", ["MIN": "x"]) }
        #expect(wrong?.code == .typeMismatch && wrong?.entity == "Person")
    }
}
