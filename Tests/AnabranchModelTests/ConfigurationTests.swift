import AnabranchModel
import Foundation
import Testing

@Suite struct `Configurations` {
    private func declaration(
        _ configurations: ModelConfiguration..., change: (inout ModelDeclaration) -> Void = { _ in }
    ) throws -> ModelDeclaration {
        var declaration = try ManagedObjectModel {
            EntityDeclaration("Note") { AttributeDeclaration("title", .string) }
            EntityDeclaration("Draft") {
                AttributeDeclaration("text", .string)
                RelationshipDeclaration("parts", toMany: "Part", inverse: "draft")
            }
            EntityDeclaration("Part") {
                RelationshipDeclaration("draft", to: "Draft", inverse: "parts")
            }
            EntityDeclaration("Long", parent: "Draft")
        }.declaration
        declaration.configurations = configurations
        change(&declaration)
        return declaration
    }

    private let local = ModelConfiguration("Local", "Draft", "Long", "Part", isSynced: false)

    private func refusal(_ declaration: ModelDeclaration) throws -> ModelError {
        try #require(throws: ModelError.self) { try ManagedObjectModel(declaration) }
    }

    @Test func `name subsets of the entities`() throws {
        let all = ModelConfiguration("All", "Part", "Note", "Draft", "Part")
        let model = try ManagedObjectModel(declaration(local, all))
        #expect(model.configurations.map(\.name) == ["All", "Local"])
        #expect(
            model.entities(forConfiguration: "All")?.map(\.name) == ["Draft", "Note", "Part"])
        #expect(model.entities(forConfiguration: nil)?.count == 4)
        #expect(model.entities(forConfiguration: "None") == nil)
        #expect(model.entities.filter(\.isSynced).map(\.name) == ["Note"])
    }

    @Test func `survive the model's encoding and Xcode's file`() throws {
        let other = ModelConfiguration("Editing & more", "Draft", "Note")
        let model = try ManagedObjectModel(declaration(local, other))
        let decoded = try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        #expect(decoded == model && decoded.configurations == model.configurations)
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).xcdatamodel")
        defer { try? FileManager.default.removeItem(at: folder) }
        try model.write(toXcodeModel: folder)
        let read = try ManagedObjectModel.reading(folder)
        #expect(read.configurations == model.configurations)
        #expect(read.entities.map(\.isSynced) == model.entities.map(\.isSynced))
        #expect(read.hasVersion(of: model))
    }

    @Test func `are refused with what to do`() throws {
        let unknown = try refusal(declaration(ModelConfiguration("A", "Nothing")))
        #expect(unknown.code == .unknownEntity && unknown.entity == "Nothing")
        let twice = try refusal(
            declaration(ModelConfiguration("A"), ModelConfiguration("A", "Note")))
        #expect(twice.code == .duplicateName)
        let nameless = try refusal(declaration(ModelConfiguration("", "Note")))
        #expect(nameless.code == .invalidName)
    }

    @Test func `keep no part of a hierarchy apart`() throws {
        let error = try refusal(
            declaration(ModelConfiguration("Local", "Draft", "Part", isSynced: false)))
        #expect(error.code == .invalidProperty && error.entity == "Long")
        #expect(error.message.contains("Add Long to it"))
    }

    @Test func `refuse relationships between synced and unsynced entities`() throws {
        let error = try refusal(
            declaration(ModelConfiguration("Local", "Draft", "Long", isSynced: false)))
        #expect(error.all.map(\.property) == ["parts", "draft"])
        #expect(error.all.map(\.entity) == ["Draft", "Part"])
        #expect(error.message.contains("UUID or URI"))
    }

    @Test func `make another version only if they say what is synced`() throws {
        let plain = try ManagedObjectModel(declaration())
        let named = try ManagedObjectModel(declaration(ModelConfiguration("A", "Draft", "Part")))
        #expect(named.hasVersion(of: plain))
        let apart = try ManagedObjectModel(declaration(local))
        #expect(!apart.hasVersion(of: plain))
        for (old, new) in [(plain, apart), (apart, plain)] {
            let error = try #require(throws: MigrationError.self) {
                try InferredMigration(from: old, to: new)
            }
            #expect(Set(error.problems.map(\.entity)) == ["Draft", "Long", "Part"])
            #expect(error.description.contains("another name"))
        }
    }

    @Test func `of a model file must have the entity that says that they are not synced`() throws {
        func model(_ members: String, _ value: String) throws -> ManagedObjectModel {
            let text = """
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="A"><userInfo><entry key="anabranch.unsynced.Local" \
                value="\(value)"/></userInfo></entity>
                <entity name="B"/>
                <configuration name="Local">\(members)</configuration>
                </model>
                """
            return try ManagedObjectModel.reading(xml: Data(text.utf8), file: "contents")
        }
        let both = "<memberEntity name=\"A\"/><memberEntity name=\"B\"/>"
        #expect(try model(both, "YES").entities.map(\.isSynced) == [false, false])
        #expect(try model(both, "NO").entities.map(\.isSynced) == [true, true])
        for (members, value) in [("<memberEntity name=\"B\"/>", "YES"), (both, "maybe")] {
            let error = try #require(throws: ModelError.self) { try model(members, value) }
            #expect(error.code == .invalidValue && error.entity == "A" && error.line == 2)
        }
    }
}
