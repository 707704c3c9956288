import Anabranch
import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct MigrateCommandTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        #expect(try bench.run("insert", "City", "name=Lyon", "people=3").status == 0)
    }

    /// Writes a model file in which one text of the bench's model is replaced by another.
    private func model(_ old: String, _ new: String) throws -> String {
        let folder = bench.folder.url.appending(path: "Next.xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = Workbench.model.replacingOccurrences(of: old, with: new)
        #expect(text != Workbench.model)
        try Data(text.utf8).write(to: folder.appending(path: "contents"))
        return folder.path
    }

    private let renamed = (
        "name=\"people\"", "name=\"inhabitants\" elementID=\"people\""
    )

    @Test func `a dry run lists the changes and makes none`() throws {
        let path = try model(renamed.0, renamed.1)
        let hash = try bench.run("hash").output
        let run = try bench.run("migrate", "--model", path, "--dry-run")
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.lines.map(String.init)
        #expect(
            lines.prefix(2) == [
                "Would migrate \(bench.store) with 1 change:",
                "  City.people renamed to inhabitants",
            ])
        // The time depends on what else the machine does.
        #expect(lines.count == 3)
        #expect(lines.last?.hasPrefix("It would write no record, and take ") == true)
        let json = try bench.run("migrate", "--model", path, "--dry-run", "--json").output
        #expect(json.contains("\"records\":0,\"milliseconds\":"), "\(json)")
        #expect(try bench.run("hash").output == hash)
        #expect(try bench.run("fetch", "City", "--json").output.contains("\"people\":3"))
    }

    @Test func `a dry run finds records that share a key which becomes unique`() throws {
        for _ in 0..<2 { #expect(try bench.run("insert", "City", "name=Nice").status == 0) }
        let path = try model(
            "inverseName=\"twins\" inverseEntity=\"City\"/>",
            "inverseName=\"twins\" inverseEntity=\"City\"/><uniquenessConstraints>"
                + "<uniquenessConstraint><constraint value=\"name\"/></uniquenessConstraint>"
                + "</uniquenessConstraints>")
        let hash = try bench.run("hash").output
        let run = try bench.run("migrate", "--model", path, "--dry-run")
        #expect(run.status == 65 && run.output.isEmpty)
        #expect(run.errors.contains("2 records of City do not differ in name"), "\(run.errors)")
        #expect(try bench.run("hash").output == hash)
        #expect(try bench.run("insert", "City", "name=Nice").status == 0)
    }

    @Test func `a dry run counts the records that would be written`() throws {
        let path = try model("attributeType=\"Integer 32\"", "attributeType=\"String\"")
        let run = try bench.run("migrate", "--model", path, "--dry-run")
        #expect(run.status == 0 && run.output.contains("\nIt would write 1 record, and take "))
        #expect(try bench.run("fetch", "City", "--json").output.contains("\"people\":3"))
    }

    @Test func `a wider type is a change, and shows the values there are`() throws {
        let path = try model("attributeType=\"Integer 32\"", "attributeType=\"String\"")
        let run = try bench.run("migrate", "--model", path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("City.people widened from integer32 to string"))
        #expect(try bench.run("fetch", "City", "--json").output.contains("\"people\":\"3\""))
        #expect(try bench.run("verify", "--offline").status == 0)
    }

    @Test func `a migrated store has the records under the new names`() throws {
        let path = try model(renamed.0, renamed.1)
        let hash = try bench.run("hash").output
        let run = try bench.run("migrate", "--model", path, "--json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output
                == "{\"store\":\"\(bench.store)\",\"migrated\":true,"
                + "\"changes\":[\"City.people renamed to inhabitants\"]}\n")
        #expect(try bench.run("fetch", "City", "--json").output.contains("\"inhabitants\":3"))
        #expect(try bench.run("hash").output == hash)
        #expect(try bench.run("verify", "--offline").status == 0)
        let again = try bench.run("migrate", "--model", path)
        #expect(again.status == 0 && again.output.contains("already"))
        #expect(
            try bench.run("migrate", "--model", path, "--json").output
                == "{\"store\":\"\(bench.store)\",\"migrated\":false,\"changes\":[]}\n")
    }

    @Test func `a dropped attribute is kept, and the store is verified and opened as it is`() throws
    {
        let path = try model(
            "<attribute name=\"people\" optional=\"YES\" attributeType=\"Integer 32\" "
                + "defaultValueString=\"0\" usesScalarValueType=\"YES\"/>", "")
        let hash = try bench.run("hash").output
        let run = try bench.run("migrate", "--model", path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try bench.run("hash").output == hash)
        #expect(try !bench.run("fetch", "City", "--json").output.contains("people"))
        #expect(try bench.run("verify", "--offline").status == 0)
        #expect(try bench.run("insert", "City", "name=Nice").status == 0)
        #expect(try bench.run("verify", "--offline").status == 0)
    }

    @Test func `a copy of the old store is kept until the new one is opened`() throws {
        let path = try model(renamed.0, renamed.1)
        let copy = bench.store + ".before-migration"
        #expect(try bench.run("migrate", "--model", path, "--dry-run", "--keep-copy").status == 0)
        #expect(!FileManager.default.fileExists(atPath: copy))
        let hash = try bench.run("hash").output.prefix(64)
        #expect(try bench.run("migrate", "--model", path, "--keep-copy").status == 0)
        #expect(try ToolRun(["hash", copy]).output.prefix(64) == hash)
        #expect(try ToolRun(["fetch", copy, "City", "--json"]).output.contains("\"people\":3"))
        #expect(try bench.run("insert", "City", "name=Nice").status == 0)
    }

    @Test func `what can't be inferred ends with 65 and says what to write`() throws {
        let path = try model(
            "attributeType=\"Integer 32\"", "attributeType=\"Boolean\"")
        for words in [["--dry-run"], []] {
            let run = try ToolRun(["migrate", bench.store, "--model", path] + words)
            #expect(run.status == 65)
            #expect(run.errors.contains("City.people because its type changes"), "\(run.errors)")
        }
        #expect(try bench.run("fetch", "City", "--json").output.contains("\"people\":3"))
    }

    @Test func `a version that differs in a modifier of hashes alone is another one`() throws {
        let path = try model("name=\"City\" sync", "name=\"City\" versionHashModifier=\"2\" sync")
        let dry = try bench.run("migrate", "--model", path, "--dry-run")
        #expect(
            dry.lines.map(String.init) == [
                "Would migrate \(bench.store) with no change but that of version hashes",
                "It would write no record, and take less than 0.1 s.",
            ], "\(dry.errors)")
        let run = try bench.run("migrate", "--model", path, "--json")
        #expect(run.output.contains("\"migrated\":true,\"changes\":[]"), "\(run.output)")
        #expect(try bench.run("migrate", "--model", path).output.contains("already"))
    }

    @Test func `a missing model or file is reported`() throws {
        #expect(try bench.run("migrate").status == 64)
        let model = try bench.run("migrate", "--model", "none.xcdatamodel")
        #expect(model.status == 66 && model.errors.contains("There is no model"))
        let path = try self.model(renamed.0, renamed.1)
        let store = try ToolRun(["migrate", "none.store", "--model", path])
        #expect(store.status == 66)
    }
}

/// Tests of the command line with a store that waits for a stage of an app.
@Suite(.waiting) struct PendingStageCommandTests {
    private struct Failure: Error {}

    @Test func `a stage that is not complete is reported, and nothing is written`() throws {
        let folder = try TemporaryDirectory("anabranch-cli")
        let store = folder.file("a.store")
        let old = try ManagedObjectModel {
            EntityDeclaration("City") { AttributeDeclaration("name", .string) }
        }
        let new = try ManagedObjectModel {
            EntityDeclaration("City") { AttributeDeclaration("title", .string) }
        }
        let first = PersistentContainer(model: old, url: URL(filePath: store))
        try first.load()
        first.coordinator.close()
        #expect(try ToolRun(["status", store, "--json"]).output.contains("\"pendingStage\":null"))
        var description = PersistentStoreDescription(url: URL(filePath: store))
        description.stagedMigration = StagedMigration([
            .custom("Titles", from: .init("1", old), to: .init("2", new)) { _, _ in
                throw Failure()
            }
        ])
        let second = PersistentContainer(model: new, storeDescription: description)
        #expect(throws: StoreError.self) { try second.load() }
        let status = try ToolRun(["status", store])
        #expect(status.status == 0)
        #expect(
            status.output.contains(
                "Migration     waits for the stage 'Titles'; open it with the app that has it"))
        let json = try ToolRun(["status", store, "--json"]).output
        #expect(json.contains("\"pendingStage\":\"Titles\""))
        let insert = try ToolRun(["insert", store, "City", "title=Lyon"])
        #expect(insert.status == 75 && insert.errors.contains("stage 'Titles'"))
        let model = folder.url.appending(path: "Next.xcdatamodel")
        try new.write(toXcodeModel: model)
        let migrate = try ToolRun(["migrate", store, "--model", model.path])
        #expect(migrate.status == 65 && migrate.errors.contains("stage 'Titles'"))
        #expect(try ToolRun(["fetch", store, "City"]).status == 0)
    }
}
