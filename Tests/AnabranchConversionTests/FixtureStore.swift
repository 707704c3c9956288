import Anabranch
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchConversion

/// A store of Core Data among the fixtures.
struct FixtureStore: CustomTestStringConvertible {
    let path: String
    /// The path of the model below the fixtures, and the version, for a store that keeps none.
    var model: (path: String, version: String)?

    var testDescription: String { path }
    var url: URL { get throws { try Fixtures.url("stores/\(path)") } }

    static let artsy = "models/artsy-energy/ArtsyPartner.xcdatamodeld"

    /// The stores that keep a model of themselves.
    static let withModel = [
        "alemar11-CoreDataPlus/SampleModel2_V2.sqlite",
        "alemar11-CoreDataPlus/SampleModel_V1.sqlite",
        "bignerdranch-CoreDataStack/TestModel.sqlite",
        "duckduckgo-BrowserServicesKit/Bookmarks_V1.sqlite",
        "duckduckgo-BrowserServicesKit/Bookmarks_V2.sqlite",
        "objcio-core-data/Moody.moody", "objcio-core-data/Moody_2.moody",
        "objcio-core-data/Moody_3.moody", "objcio-core-data/Moody_4.moody",
        "objcio-core-data/Moody_5.moody",
    ].map { FixtureStore(path: $0) }

    static let all =
        withModel + [
            FixtureStore(
                path: "artsy-energy/ArtsyPartner_1.3.5.sqlite",
                model: (artsy, "ArtsyPartner 5")),
            FixtureStore(
                path: "artsy-energy/ArtsyPartner_2.0.sqlite", model: (artsy, "ArtsyFolio v2.0")),
        ]

    func conversion() throws -> StoreConversion {
        StoreConversion(source: try url, model: try givenModel())
    }

    /// The model file's model.
    private func givenModel() throws -> ManagedObjectModel? {
        guard let model else { return nil }
        let file = try Fixtures.url("\(model.path)/\(model.version).xcdatamodel/contents")
        return try ManagedObjectModel.reading(xml: Data(contentsOf: file))
    }

    /// Opens a copy of the source with SQLite alone.
    func copy(in folder: TemporaryDirectory) throws -> Connection {
        let source = try url
        let copy = folder.file("copy.sqlite")
        for suffix in ["", "-wal"]
        where FileManager.default.fileExists(atPath: source.path + suffix) {
            try Data(contentsOf: URL(filePath: source.path + suffix))
                .write(to: URL(filePath: copy + suffix))
        }
        return try Connection(path: copy)
    }

    /// The archive of the model that the store keeps of itself.
    func archive(in folder: TemporaryDirectory) throws -> Data {
        let content = try copy(in: folder).firstValue("SELECT Z_CONTENT FROM Z_MODELCACHE")
        guard case .blob(let bytes)? = content, let archive = CachedModel.inflated(bytes) else {
            throw FixtureError.missing(path: path)
        }
        return Data(archive)
    }

    /// The facts that were recorded of the store by another program.
    func facts() throws -> Facts {
        let file = URL(filePath: try url.path + ".facts.json")
        return try JSONDecoder().decode(Facts.self, from: Data(contentsOf: file))
    }

    struct Facts: Decodable {
        /// The number of rows of each table.
        let rows: [String: Int]
        /// The entities, without those of the history.
        let entities: [Entity]

        struct Entity: Decodable {
            let number: Int
            let name: String

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                number = try list.decode(Int.self)
                name = try list.decode(String.self)
            }
        }

        enum CodingKeys: String, CodingKey { case rows, entities }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            rows = try values.decode([String: Int].self, forKey: .rows)
            entities = try values.decode([Entity].self, forKey: .entities)
                .filter { $0.number < 16_000 }
        }
    }
}
