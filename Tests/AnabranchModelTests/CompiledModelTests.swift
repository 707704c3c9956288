import AnabranchModel
import Foundation
import Testing

/// Tests of compiled models with parts that no store of the fixtures has.
@Suite struct CompiledModelTests {
    /// An object of an archive: its values by their keys.
    private class Part: NSObject, NSCoding {
        private let values: [String: any Sendable]
        private let parts: [String: Part]

        init(_ values: [String: any Sendable], parts: [String: Part] = [:]) {
            self.values = values
            self.parts = parts
        }

        required init?(coder: NSCoder) { nil }

        func encode(with coder: NSCoder) {
            for (key, value) in values {
                switch value {
                case let flag as Bool: coder.encode(flag, forKey: key)
                case let number as Int: coder.encode(Int64(number), forKey: key)
                default: coder.encode(value, forKey: key)
                }
            }
            guard !parts.isEmpty else { return }
            let key = self is Model ? "NSEntities" : "NSProperties"
            coder.encode(NSDictionary(dictionary: parts), forKey: key)
        }
    }

    private final class Model: Part {}
    private final class Entity: Part {}
    private final class Attribute: Part {}
    private final class Relationship: Part {}

    /// Reads a model of one entity.
    private func photo(_ properties: [String: Part]) throws -> EntityDescription {
        let entity = Entity(["NSEntityName": "Photo"], parts: properties)
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.setClassName("NSManagedObjectModel", for: Model.self)
        archiver.setClassName("NSEntityDescription", for: Entity.self)
        archiver.setClassName("NSAttributeDescription", for: Attribute.self)
        archiver.setClassName("NSRelationshipDescription", for: Relationship.self)
        archiver.encode(
            Model([:], parts: ["Photo": entity]), forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        let model = try ManagedObjectModel.reading(compiled: archiver.encodedData)
        return try #require(model.entity(named: "Photo"))
    }

    private func attribute(_ type: Int, flags: Int = 0, isTransient: Bool = false) -> Part {
        Attribute([
            "NSAttributeType": type, "NSIsOptional": true, "NSFlagsKey": flags,
            "NSIsTransient": isTransient,
        ])
    }

    @Test func `flags say which values have files, and which are kept after a deletion`() throws {
        let entity = try photo([
            "plain": attribute(1000), "bounded": attribute(1000, flags: 3),
            "file": attribute(1000, flags: 4), "kept": attribute(1100, flags: 16),
            "both": attribute(1000, flags: 20),
        ])
        let declared = entity.attributes.map(\.declaration)
        #expect(
            declared.filter(\.allowsExternalBinaryDataStorage).map(\.name) == ["both", "file"])
        #expect(
            declared.filter(\.preservesValueInHistoryOnDeletion).map(\.name) == ["both", "kept"])
    }

    @Test func `a transient relationship is one in memory`() throws {
        func relationship(_ inverse: String, _ most: Int) -> Part {
            Relationship([
                "_NSDestinationEntityName": "Photo", "_NSInverseRelationshipName": inverse,
                "NSMaxCount": most, "NSIsTransient": true, "NSIsOptional": true,
                "NSIsOrdered": most == 0,
            ])
        }
        let entity = try photo([
            "shown": relationship("showing", 0), "showing": relationship("shown", 1),
        ])
        #expect(entity.relationships.map(\.isTransient) == [true, true])
        #expect(entity.relationships.allSatisfy { $0.inverse?.inverse === $0 })
        #expect(entity.relationships.map(\.storage) == [.memory(.right), .memory(.left)])
    }

    @Test func `an attribute without a type is transient, or refused by its name`() throws {
        let entity = try photo(["any": attribute(0, isTransient: true)])
        #expect(entity.attributes.map(\.type) == [.undefined])
        let error = try #require(throws: ModelError.self) { try photo(["any": attribute(0)]) }
        #expect(error.entity == "Photo" && error.property == "any")
    }
}
