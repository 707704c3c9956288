import Anabranch
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of what a request says about its cost.
@Suite struct `Explained fetches` {
    private static func withItems(
        indexed: Bool = false, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory("explained")
        let model = try ManagedObjectModel {
            EntityDeclaration("Item") {
                AttributeDeclaration("colour", .string)
                AttributeDeclaration("number", .integer64)
                AttributeDeclaration("price", .decimal)
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("place", to: "Item")
                RelationshipDeclaration("parent", to: "Item", inverse: "children")
                RelationshipDeclaration("children", toMany: "Item", inverse: "parent")
                if indexed { IndexDeclaration("title", on: "title") }
            }
            EntityDeclaration("Special", parent: "Item") {
                AttributeDeclaration("extra", .integer64)
            }
        }
        let container = PersistentContainer(
            model: model,
            storeDescription: PersistentStoreDescription(
                url: directory.url.appending(path: "items.anabranch")))
        try container.load()
        try container.newBackgroundContext().performAndWait { context in
            for number in 0..<2000 {
                let item = try context.insert(number % 2 == 0 ? "Item" : "Special")
                item["number"] = .integer(Int64(number))
                item["title"] = .string("t\(number)")
                item["colour"] = .string(number % 4 == 0 ? "red" : "blue")
            }
            try context.save()
            try body(context)
        }
        container.coordinator.close()
    }

    private func explain(
        _ format: String, of entity: String = "Item", in context: ManagedObjectContext,
        _ change: (inout FetchRequest<ManagedObject>) -> Void = { _ in }
    ) throws -> FetchExplanation {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try FetchPredicate(format)
        change(&request)
        return try request.explain(in: context)
    }

    @Test func `a scan of a large table is told with the index that saves it`() throws {
        try Self.withItems { context throws in
            let explained = try explain("title == 't7'", in: context)
            #expect(explained.sql.hasPrefix("SELECT t0.ab_pk"))
            #expect(explained.bindings == [.string("t7")])
            #expect(explained.rowCount == 1 && explained.scannedRowCount >= 1999)
            #expect(explained.plan.contains { $0.hasPrefix("SCAN t0") })
            #expect(
                explained.advice.map(\.declaration) == [#"IndexDeclaration("title", on: "title")"#])
            #expect(explained.advice.first?.macro == #"#Index<Item>([\.title])"#)
            #expect(explained.description.contains(#"IndexDeclaration("title", on: "title")"#))
            #expect(explained.stepCount > 2000 && !explained.searchesWords)
        }
    }

    private func expectAdvice(_ declarations: [String], for format: String) throws {
        try Self.withItems { context throws in
            #expect(
                try explain(format, in: context).advice.map(\.declaration) == declarations)
        }
    }

    @Test(
        arguments: [
            (
                "number > 5 AND colour == 'red'",
                [#"IndexDeclaration("colour_number", on: "colour", "number")"#]
            ),
            ("7 == number", [#"IndexDeclaration("number", on: "number")"#]),
            ("number IN {1, 2} AND title != nil", [#"IndexDeclaration("number", on: "number")"#]),
            ("price BETWEEN {1, 2}", [#"IndexDeclaration("price", on: "price")"#]),
            ("title BEGINSWITH 't77'", [#"IndexDeclaration("title", on: "title")"#]),
            ("title BEGINSWITH ''", []),
            (
                "title BEGINSWITH 't7' AND colour == 'red'",
                [#"IndexDeclaration("colour_title", on: "colour", "title")"#]
            ),
            ("title ==[c] 'T7'", []), ("title BEGINSWITH[c] 'T7'", []),
            ("title CONTAINS '7'", []), ("number == parent.number", []),
        ] as [(String, [String])])
    func `the index begins with what is equal`(
        _ format: String, _ declarations: [String]
    ) throws {
        try expectAdvice(declarations, for: format)
    }

    @Test(
        arguments: [
            ("parent.number == 3", [#"IndexDeclaration("number", on: "number")"#]),
            ("parent.title BEGINSWITH 't77'", [#"IndexDeclaration("title", on: "title")"#]),
            ("parent.number == 3 AND colour > 'a'", [#"IndexDeclaration("number", on: "number")"#]),
            ("parent.number > 3 AND colour == 'a'", [#"IndexDeclaration("colour", on: "colour")"#]),
            // Only relationships without an inverse lack an index of their own.
            (
                "place.number == 3",
                [
                    #"IndexDeclaration("number", on: "number")"#,
                    #"IndexDeclaration("place", on: "place")"#,
                ]
            ),
            // SQLite follows a chain of outer joins from its beginning.
            ("parent.parent.number == 3", []),
            // An object without a target belongs to the result, so no index of targets finds all.
            ("place == nil", []),
            ("parent.number == nil", []), ("parent.number == 3 OR number == 3", []),
        ] as [(String, [String])])
    func `an index of the objects at the other end is advised if SQLite begins with them`(
        _ format: String, _ declarations: [String]
    ) throws {
        try expectAdvice(declarations, for: format)
    }

    @Test(
        arguments: [
            (
                "number == 3 OR title == 't3'",
                [
                    #"IndexDeclaration("number", on: "number")"#,
                    #"IndexDeclaration("title", on: "title")"#,
                ]
            ),
            (
                "number == 3 OR title BEGINSWITH 't77' AND colour == 'red'",
                [
                    #"IndexDeclaration("number", on: "number")"#,
                    #"IndexDeclaration("colour_title", on: "colour", "title")"#,
                ]
            ),
            ("number == 3 OR number > 1998", [#"IndexDeclaration("number", on: "number")"#]),
            ("number == 3 OR title CONTAINS 't3'", []),
            (
                "price != 4 AND (number == 3 OR title == 't3')",
                [
                    #"IndexDeclaration("number", on: "number")"#,
                    #"IndexDeclaration("title", on: "title")"#,
                ]
            ),
        ] as [(String, [String])])
    func `a disjunction needs an index for each part`(
        _ format: String, _ declarations: [String]
    ) throws {
        try Self.withItems { context throws in
            #expect(
                try explain(format, in: context).advice.map(\.declaration) == declarations)
        }
        let rest = declarations.filter { !$0.contains(#"on: "title""#) }
        try Self.withItems(indexed: true) { context throws in
            #expect(try explain(format, in: context).advice.map(\.declaration) == rest)
        }
    }

    @Test func `an index of a relationship is advised if it has no inverse`() throws {
        try Self.withItems { context throws in
            let place = try context.insert("Item")
            try context.save()
            var request = FetchRequest<ManagedObject>(entityName: "Item")
            request.predicate = try FetchPredicate("place == %@", place)
            #expect(try request.explain(in: context).advice.map(\.properties) == [["place"]])
            request.predicate = try FetchPredicate("parent == %@", place)
            let explained = try request.explain(in: context)
            #expect(explained.scannedRowCount == 0 && explained.advice.isEmpty)
        }
    }

    @Test func `an index that is there is used, and nothing is advised`() throws {
        try Self.withItems(indexed: true) { context throws in
            let explained = try explain("title == 't7'", in: context)
            #expect(explained.plan.contains { $0.contains("USING INDEX") })
            #expect(explained.scannedRowCount == 0 && explained.advice.isEmpty)
        }
    }

    @Test func `the entity that has the property declares the index`() throws {
        try Self.withItems { context throws in
            let explained = try explain("extra == 1 AND number == 2", of: "Special", in: context)
            #expect(explained.advice.first?.entity == "Special")
            #expect(
                try explain("number == 2", of: "Special", in: context).advice.first?.entity
                    == "Item")
        }
    }

    @Test func `a sort with a limit wants an index too`() throws {
        try Self.withItems { context throws in
            let explained = try explain("TRUEPREDICATE", in: context) {
                $0.sorts = [FetchSort("number")]
                $0.fetchLimit = 5
            }
            #expect(explained.sortCount == 1 && explained.rowCount == 5)
            #expect(explained.advice.first?.properties == ["number"])
        }
    }

    @Test func `requests for rows are explained too`() throws {
        try Self.withItems { context throws in
            var request = RowRequest<ManagedObject>(entityName: "Item")
            request.propertiesToFetch = ["colour", .sum("number")]
            request.propertiesToGroupBy = ["colour"]
            let explained = try request.explain(in: context)
            #expect(explained.sql.contains("GROUP BY t0."))
            #expect(explained.rowCount == 2 && explained.advice.isEmpty)
        }
    }
}
