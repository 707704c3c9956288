import AnabranchModel
import Foundation
import Testing

/// Tests of what messages say about a name that is probably mistyped.
struct NearestWordTests {
    @Test func `distance counts swapped letters once`() {
        #expect(NearestWord.distance(Array("ftech"), Array("fetch")) == 1)
        #expect(NearestWord.distance(Array("abc"), Array("")) == 3)
        #expect(NearestWord.distance(Array("kitten"), Array("sitting")) == 3)
        #expect(NearestWord.suggestion(for: "zebra", among: ["fetch", "sync"]) == nil)
    }

    @Test func `long words are neither compared nor listed`() {
        let long = String(repeating: "x", count: 1_000_000)
        #expect(NearestWord.suggestion(for: long, among: [long + "y"]) == nil)
        let hint = NearestWord.hint(for: "abc", among: [long, "zebra"])
        #expect(hint == " There are: zebra and others.")
    }

    private static let model = try? ManagedObjectModel {
        EntityDeclaration("Person") {
            AttributeDeclaration("name", .string)
            RelationshipDeclaration("notes", toMany: "Note", inverse: "author")
        }
        EntityDeclaration("Note") {
            RelationshipDeclaration("author", to: "Person", inverse: "notes")
        }
    }

    @Test(arguments: [
        ("nmae", "Did you mean name?"), ("zebra", "There are: name, notes."),
    ])
    func `a predicate that has a wrong key names the right ones`(
        key: String, hint: String
    ) throws {
        let person = try #require(Self.model?.entity(named: "Person"))
        let predicate = try FetchPredicate(format: "\(key) == 'a'")
        let error = #expect(throws: FetchPredicateError.self) {
            try predicate.check(for: person)
        }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
        #expect(error?.localizedDescription == error?.description)
    }

    @Test func `a model that has a wrong name names the right one`() {
        let error = #expect(throws: ModelError.self) {
            _ = try ManagedObjectModel {
                EntityDeclaration("Person", parent: "Humna") {
                    RelationshipDeclaration("notes", toMany: "Note", inverse: "autor")
                }
                EntityDeclaration("Human") { AttributeDeclaration("name", .string) }
                EntityDeclaration("Note") {
                    RelationshipDeclaration("author", to: "Persn", inverse: "notes")
                    IndexDeclaration("byName", on: "author", "titel")
                    AttributeDeclaration("title", .string)
                }
            }
        }
        let text = error?.description ?? ""
        for hint in ["Human", "author", "Person", "title"] {
            #expect(text.contains("Did you mean \(hint)?"), "\(text)")
        }
        #expect(error?.localizedDescription == text)
    }

    @Test func `only the first problems of a model have hints`() {
        let error = #expect(throws: ModelError.self) {
            _ = try ManagedObjectModel(
                ModelDeclaration(
                    entities: (0..<100).map { EntityDeclaration("A\($0)", parent: "B\($0)") }))
        }
        let hints = error?.all.filter { $0.message.contains("Did you mean") }
        #expect(error?.all.count == 100)
        #expect(hints?.count == 10)
    }
}
