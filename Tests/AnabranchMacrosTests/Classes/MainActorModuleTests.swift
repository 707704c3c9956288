import AnabranchModel
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchModelTool

/// Compiles classes in modules that are on the main actor by default, as Xcode sets up new apps.
@Suite(.waiting, .enabled(if: CompilerRun.isPossible, "there is no swiftc on the PATH"))
struct `A module on the main actor` {
    private static let onMainActor = ["-default-isolation", "MainActor"]

    @Test(arguments: [[], onMainActor])
    func `takes the classes of a model file, for contexts of any queue`(flags: [String]) throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64, optional: false, default: 0)
                CompositeAttribute("home", of: "Address") { AttributeDeclaration("city", .string) }
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
            }
            EntityDeclaration("Pilot", parent: "Person") { AttributeDeclaration("licence", .uuid) }
        }
        let use = """
            func insert(_ container: PersistentContainer) async throws {
                _ = try PeopleModel.load()
                try await container.performBackgroundTask { context in
                    let pilot = try context.insert(Pilot.self)
                    pilot.home = Address(city: "Bern")
                    for report in pilot.reports { report.boss = nil }
                    _ = try context.fetch(FetchRequest<Pilot>(where: \\.home?.city == "Bern"))
                }
            }
            """
        let classes = ClassWriter(model: model, fileName: "People").source()
        #expect(try CompilerRun(classes + use, flags: flags).output == "")
    }

    /// Their properties can be used on the main actor only; no error is inside an expansion.
    @Test func `takes classes without the word nonisolated, also with inverses`() throws {
        let classes = """
            import Anabranch
            @Entity
            final class Person: ManagedObject {
                @Relationship(deleteRule: .cascade, inverse: \\Note.author)
                var notes: ManagedObjectSet<Note>
            }
            @Entity
            final class Note: ManagedObject {
                @Attribute(.unique) var text: String?
                var author: Person?
            }
            """
        #expect(try CompilerRun(classes, flags: Self.onMainActor).output == "")
        let misspelled = classes.replacingOccurrences(of: "Note.author", with: "Note.auther")
        let errors = try CompilerRun(misspelled, flags: Self.onMainActor).errors
        #expect(errors.map(\.file) == ["Use.swift"] && errors.map(\.line) == [4])
    }

    @Test(arguments: ["Cookbook", "Departments", "FirstSteps", "Notes"])
    func `takes an example and so the code of the articles`(name: String) throws {
        let folder = Built.package.appending(path: "Examples/\(name)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") }.map { folder.appending(path: $0).path }
        #expect(!files.isEmpty)
        #expect(try CompilerRun("", flags: Self.onMainActor + files).output == "")
    }
}
