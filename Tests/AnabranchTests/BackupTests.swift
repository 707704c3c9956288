import Anabranch
import Foundation
import Testing

/// Tests of backups of a store.
@Suite struct `A backup` {
    private func names(_ container: PersistentContainer) throws -> [String?] {
        try container.newBackgroundContext().performAndWait { context in
            try context.fetch(FetchRequest<Person>(sortedBy: \.firstName)).map(\.firstName)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `holds the store as it was, and opens as a store`(kind: StoreKind) throws {
        let graph = try Graph(kind)
        try graph.inContext { context throws in
            try context.person("ada")
            try context.save()
            try graph.coordinator.backUp(to: graph.file("backup.store"))
            try context.person("bob")
            try context.save()
        }
        let restored = PersistentContainer(
            model: try CompanyModel.make(), classes: CompanyModel.classes,
            url: graph.file("backup.store"))
        try restored.load()
        #expect(try names(restored) == ["ada"])
        #expect(try names(graph.container) == ["ada", "bob"])
        #expect(try restored.coordinator.checkFile().isValid)
    }

    @Test(arguments: ["taken.store", "company.anabranch", "company.anabranch-journal"])
    func `replaces no file`(name: String) throws {
        let graph = try Graph(.file)
        try Data("text".utf8).write(to: graph.file("taken.store"))
        let error = #expect(throws: StoreError.self) {
            try graph.coordinator.backUp(to: graph.file(name))
        }
        #expect(error?.code == .alreadyExists)
        #expect(try Data(contentsOf: graph.file("taken.store")) == Data("text".utf8))
    }
}
