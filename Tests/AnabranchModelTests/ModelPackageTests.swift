import AnabranchModel
import Foundation
import Testing

/// Tests of the choice of the version in a package.
final class ModelPackageTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "anabranch-models-\(UUID().uuidString)")
    private var package: URL { folder.appending(path: "Shop.xcdatamodeld") }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func addVersion(_ name: String, entity: String) throws {
        let version = package.appending(path: "\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try XcodeModelText.model("<entity name=\"\(entity)\"/>")
            .write(to: version.appending(path: "contents"))
    }

    private func setCurrent(_ name: String) throws {
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": name], format: .xml, options: 0)
        try list.write(to: package.appending(path: ".xccurrentversion"))
    }

    private func refusal(_ url: URL, version: String? = nil) throws -> ModelError {
        try #require(throws: ModelError.self) {
            try ManagedObjectModel.reading(url, version: version)
        }
    }

    @Test func `the only version is current without saying so`() throws {
        try addVersion("Shop", entity: "A")
        #expect(try ManagedObjectModel.reading(package).entities.map(\.name) == ["A"])
    }

    @Test func `the current one of several versions is read`() throws {
        try addVersion("Shop", entity: "A")
        try addVersion("Shop 2.1", entity: "B")
        try setCurrent("Shop 2.1.xcdatamodel")
        #expect(try ManagedObjectModel.reading(package).entities.map(\.name) == ["B"])
        let old = try ManagedObjectModel.reading(package, version: "Shop")
        #expect(old.entities.map(\.name) == ["A"])
    }

    @Test func `a package lists its versions and says which is current`() throws {
        func versions() throws -> [ModelVersion] { try ManagedObjectModel.versions(of: package) }
        try addVersion("Shop 2", entity: "B")
        #expect(try versions().map(\.name) == ["Shop 2"] && versions()[0].isCurrent)
        try addVersion("Shop", entity: "A")
        #expect(try versions().map(\.name) == ["Shop", "Shop 2"])
        #expect(try versions().allSatisfy { !$0.isCurrent })
        try setCurrent("Shop.xcdatamodel")
        #expect(try versions().map(\.isCurrent) == [true, false])
        for version in try versions() {
            let model = try ManagedObjectModel.reading(package, version: version.name)
            #expect(model.entities.map(\.name) == [version.isCurrent ? "A" : "B"])
        }
        let gone = folder.appending(path: "Gone.xcdatamodeld")
        let error = #expect(throws: ModelError.self) { try ManagedObjectModel.versions(of: gone) }
        #expect(error?.code == .unreadable)
    }

    @Test func `several versions without a current one are refused`() throws {
        try addVersion("Shop", entity: "A")
        try addVersion("Shop 2", entity: "B")
        #expect(try refusal(package).code == .noCurrentVersion)
        #expect(try refusal(package, version: "Shop 3").message.contains("Shop 2.xcdatamodel"))
    }

    @Test(arguments: ["Gone.xcdatamodel", "../Shop.xcdatamodel", "Shop"])
    func `a current version that is not there is refused`(name: String) throws {
        try addVersion("Shop", entity: "A")
        try setCurrent(name)
        #expect(try refusal(package).code == .noCurrentVersion)
    }

    @Test func `a damaged list of the current version is refused`() throws {
        try addVersion("Shop", entity: "A")
        try Data("nonsense".utf8).write(to: package.appending(path: ".xccurrentversion"))
        let error = try refusal(package)
        #expect(error.code == .noCurrentVersion)
        #expect(error.file?.hasSuffix(".xccurrentversion") == true)
    }

    @Test func `an empty list of the current version says nothing`() throws {
        try addVersion("Shop", entity: "A")
        let empty = try PropertyListSerialization.data(
            fromPropertyList: [String: String](), format: .xml, options: 0)
        try empty.write(to: package.appending(path: ".xccurrentversion"))
        #expect(try ManagedObjectModel.reading(package).entities.count == 1)
        try addVersion("Shop 2", entity: "B")
        #expect(try refusal(package).code == .noCurrentVersion)
    }

    @Test func `the binary form of old models is named`() throws {
        let version = folder.appending(path: "Old.xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Data("bplist00".utf8).write(to: version.appending(path: "elements"))
        let error = try refusal(version)
        #expect(error.code == .notAModel && error.message.contains("before Xcode 4"))
    }

    @Test func `a missing or optimized model is refused`() throws {
        #expect(try refusal(package).code == .unreadable)
        #expect(try refusal(folder.appending(path: "Shop.momd")).code == .unreadable)
        #expect(try refusal(folder.appending(path: "Shop.mom")).code == .unreadable)
        #expect(try refusal(folder.appending(path: "Shop.omo")).message.contains("optimized"))
        #expect(try refusal(folder.appending(path: "Shop.xcdatamodel")).code == .unreadable)
    }

    @Test func `a file of contents is read by itself`() throws {
        try addVersion("Shop", entity: "A")
        let file = package.appending(path: "Shop.xcdatamodel/contents")
        #expect(try ManagedObjectModel.reading(file).entities.count == 1)
    }
}
