import AnabranchModel
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of the writer of model files, by reading what it writes.
struct ModelWriterTests {
    private func reread(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
        try ManagedObjectModel.reading(xml: Data(try model.xcodeModelText().utf8))
    }

    private func refusals(@ModelBuilder _ content: () -> [EntityDeclaration]) throws -> [ModelError]
    {
        let model = try ManagedObjectModel(entities: content())
        let error = #expect(throws: ModelError.self) { try model.xcodeModelText() }
        return try #require(error).all
    }

    @Test func `a written model has the form that Xcode writes`() throws {
        let model = try ManagedObjectModel(ModelExamples.everySetting)
        Golden.expect(try model.xcodeModelText(), matches: "every-setting.xcdatamodel.xml")
    }

    @Test func `every setting of a model survives`() throws {
        let model = try ManagedObjectModel(ModelExamples.everySetting)
        let again = try reread(model)
        #expect(again.declaration.withoutEntries == model.declaration.withoutEntries)
        #expect(again.hasVersion(of: model))
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(try reread(again) == again)
        #expect(try again.xcodeModelText() == model.xcodeModelText())
    }

    @Test(arguments: TestLength.seeds(200))
    func `a random model is read as it was written`(seed: UInt64) throws {
        var random = RandomDeclarations(seed: seed)
        let model = try ManagedObjectModel(random.next())
        let again = try reread(model)
        #expect(again.declaration.withoutEntries == model.declaration.withoutEntries)
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(try reread(again) == again)
    }

    @Test func `an entry in a user info that contradicts a setting is replaced`() throws {
        let misleading = [
            "anabranch.wireName": "other", "anabranch.mergeRule": "max",
            "anabranch.mergeGroup": "g", "anabranch.default": "integer64:9",
            "anabranch.validation.1": "SELF > 9", "anabranch.acyclic": "YES",
            "anabranch.deletePolicy": "updateWins", "kept": "text",
        ]
        let model = try ManagedObjectModel {
            EntityDeclaration("A", userInfo: misleading) {
                AttributeDeclaration("x", .integer64, default: 1, userInfo: misleading)
                RelationshipDeclaration("a", to: "A", inverse: "b", userInfo: misleading)
                RelationshipDeclaration("b", toMany: "A", inverse: "a")
            }
        }
        let again = try reread(model)
        #expect(again.declaration.withoutEntries == model.declaration.withoutEntries)
        #expect(again.hasVersion(of: model))
        let info = try again.attribute("A", "x").userInfo
        #expect(info["kept"] == "text" && info["anabranch.default"] == nil)
    }

    @Test func `settings that XML has no form for are refused with their places`() throws {
        let problems = try refusals {
            EntityDeclaration("A", representedClassName: "", userInfo: ["k\u{1}": "v"]) {
                AttributeDeclaration("bell", .string, default: "\u{7}")
                AttributeDeclaration("late", .date, maximum: .date(.infinity))
                AttributeDeclaration("most", .double, maximum: .double(.infinity))
                AttributeDeclaration("text", .string, versionHashModifier: "")
            }
        }
        #expect(problems.allSatisfy { $0.code == .notExpressible && $0.entity == "A" })
        #expect(problems.compactMap(\.property) == ["bell", "late", "most", "text"])
        #expect(problems.count == 6)
        let bell = try #require(problems.first { $0.property == "bell" })
        #expect(bell.message.contains("the default of attribute A.bell"))
        #expect(bell.message.contains("U+0007"), "\(bell.message)")
    }

    @Test func `a folder gets the model, and an existing one is replaced`() throws {
        let folder = try TemporaryDirectory("anabranch-models")
        let package = folder.url.appending(path: "Shop.xcdatamodeld")
        let version = package.appending(path: "Shop 2.xcdatamodel")
        let first = try ManagedObjectModel {
            EntityDeclaration("A") { AttributeDeclaration("x", .string) }
        }
        let second = try ManagedObjectModel {
            EntityDeclaration("B") { AttributeDeclaration("y", .uuid) }
        }
        for model in [first, second] {
            try model.write(toXcodeModel: version)
            #expect(try ManagedObjectModel.reading(version) == model)
            #expect(try ManagedObjectModel.reading(package, version: "Shop 2") == model)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: version.path)
        #expect(names == ["contents"])
    }

    @Test func `a folder that can't be written is refused`() throws {
        let folder = try TemporaryDirectory("anabranch-models")
        let model = try ManagedObjectModel {
            EntityDeclaration("A") { AttributeDeclaration("x", .string) }
        }
        let other = #expect(throws: ModelError.self) {
            try model.write(toXcodeModel: folder.url.appending(path: "Shop.momd"))
        }
        #expect(other?.code == .unwritable && other?.message.contains(".xcdatamodel") == true)
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let blocked = #expect(throws: ModelError.self) {
            try model.write(toXcodeModel: file.appending(path: "Shop.xcdatamodel"))
        }
        #expect(
            blocked?.code == .unwritable && blocked?.file?.hasSuffix("Shop.xcdatamodel") == true)
    }
}
