import Anabranch
import AnabranchConversion
import Foundation
import TestSupport
import Testing

/// The models that stores keep of themselves are compared with their model files.
@Suite(.needsFixtures) struct CachedModelTests {
    /// A store with the model file and the version from which its app was compiled.
    struct Pair: CustomTestStringConvertible {
        let store: String
        let model: String
        let version: String
        var testDescription: String { store }
    }

    private static let moody = "objcio-core-data/Moody.xcdatamodeld"
    private static let bookmarks = "duckduckgo-BrowserServicesKit/BookmarksModel.xcdatamodeld"

    static let pairs = [
        Pair(
            store: "alemar11-CoreDataPlus/SampleModel_V1.sqlite",
            model: "alemar11-CoreDataPlus/SampleModel.xcdatamodeld", version: "SampleModel"),
        Pair(
            store: "bignerdranch-CoreDataStack/TestModel.sqlite",
            model: "bignerdranch-CoreDataStack/Sample.xcdatamodeld", version: "TestModel"),
        Pair(
            store: "duckduckgo-BrowserServicesKit/Bookmarks_V1.sqlite", model: bookmarks,
            version: "BookmarksModel"),
        Pair(
            store: "duckduckgo-BrowserServicesKit/Bookmarks_V2.sqlite", model: bookmarks,
            version: "BookmarksModel 2"),
        Pair(store: "objcio-core-data/Moody_2.moody", model: moody, version: "Moody 2"),
        Pair(store: "objcio-core-data/Moody_3.moody", model: moody, version: "Moody 3"),
        Pair(store: "objcio-core-data/Moody_4.moody", model: moody, version: "Moody 4"),
        Pair(store: "objcio-core-data/Moody_5.moody", model: moody, version: "Moody 5"),
    ]

    @Test(arguments: pairs)
    func `a model from a store equals the one from its model file`(_ pair: Pair) throws {
        let cached = try FixtureStore(path: pair.store).conversion().sourceModel()
        let model = try ManagedObjectModel.reading(
            Fixtures.url("models/\(pair.model)"), version: pair.version)
        #expect(Self.comparable(cached) == Self.comparable(model))
    }

    @Test(arguments: FixtureStore.withModel)
    func `a model from a store has the entities of the store`(_ store: FixtureStore) throws {
        let model = try store.conversion().sourceModel()
        let names = try store.facts().entities.map(\.name)
        #expect(model.entities.map(\.name).sorted() == names.sorted())
    }

    @Test(arguments: FixtureStore.withModel)
    func `a model from a store has what another program read of it`(_ store: FixtureStore) throws {
        let model = try store.conversion().sourceModel()
        let file = URL(filePath: try store.url.path + ".model.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        let read = try JSONDecoder().decode(ReadModel.self, from: Data(contentsOf: file))
        for (name, entity) in read.entities {
            let found = try #require(model.entity(named: name))
            #expect(found.superentity?.name == entity.superentity)
            #expect(found.isAbstract == entity.abstract)
            for (property, attribute) in entity.attributes {
                let own = try #require(found.property(named: property)?.attribute)
                #expect(
                    own.isOptional == attribute.optional && own.isTransient == attribute.transient)
            }
            for (property, relationship) in entity.relationships {
                let own = try #require(found.property(named: property)?.relationship)
                #expect(own.destination.name == relationship.destination)
                #expect(own.inverse?.name == relationship.inverse)
                #expect(own.isOrdered == relationship.ordered)
                #expect(own.isToMany == (relationship.max != 1))
            }
        }
    }

    @Test func `a compiled model is read from an app's folder of versions`() throws {
        let folder = try TemporaryDirectory("anabranch-momd")
        let package = folder.url.appending(path: "App.momd")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        let store = FixtureStore(path: "bignerdranch-CoreDataStack/TestModel.sqlite")
        try store.archive(in: folder).write(to: package.appending(path: "App 2.mom"))
        let info = ["NSManagedObjectModel_CurrentVersionName": "App 2"]
        try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0)
            .write(to: package.appending(path: "VersionInfo.plist"))
        let model = try store.conversion().sourceModel()
        #expect(try ManagedObjectModel.reading(package) == model)
        #expect(try ManagedObjectModel.reading(package, version: "App 2") == model)
        #expect(try ManagedObjectModel.reading(package.appending(path: "App 2.mom")) == model)
        #expect(throws: ModelError.self) { try ManagedObjectModel.reading(package, version: "A") }
    }

    @Test func `damaged archives are refused and none of them ends the program`() throws {
        let folder = try TemporaryDirectory("anabranch-damaged")
        let store = FixtureStore(path: "bignerdranch-CoreDataStack/TestModel.sqlite")
        let archive = try [UInt8](store.archive(in: folder))
        var random = SeededGenerator(seed: 11)
        var refused = 0
        for _ in 0..<2000 {
            var bytes = archive
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = .random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            }
            do {
                _ = try ManagedObjectModel.reading(compiled: Data(bytes))
            } catch { refused += 1 }
        }
        #expect(refused > 500)
    }

    @Test func `a derived attribute keeps its expression`() throws {
        let store = FixtureStore(path: "alemar11-CoreDataPlus/SampleModel2_V2.sqlite")
        let model = try store.conversion().sourceModel()
        let count = try #require(model.entity(named: "Book")?.property(named: "pagesCount"))
        #expect(count.attribute?.derivationExpression == "pages.@count")
        #expect(!model.warnings.contains { $0.property == "pagesCount" })
    }

    private struct ReadModel: Decodable {
        struct Entity: Decodable {
            let superentity: String?
            let abstract: Bool
            let attributes: [String: Attribute]
            let relationships: [String: Relationship]
        }
        struct Attribute: Decodable {
            let optional: Bool
            let transient: Bool
        }
        struct Relationship: Decodable {
            let destination: String
            let inverse: String?
            let ordered: Bool
            let max: Int
        }
        let entities: [String: Entity]
    }

    /// A model without the class names, which the compiler replaces.
    private static func comparable(_ model: ManagedObjectModel) -> ModelDeclaration {
        var declaration = model.declaration
        for entity in declaration.entities.indices {
            declaration.entities[entity].representedClassName = nil
            for attribute in declaration.entities[entity].attributes.indices {
                declaration.entities[entity].attributes[attribute].valueClassName = nil
            }
        }
        if declaration.versionIdentifier?.isEmpty == true { declaration.versionIdentifier = nil }
        return declaration
    }
}
