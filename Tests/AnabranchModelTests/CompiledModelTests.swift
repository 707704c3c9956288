import AnabranchModel
import Foundation
import Testing

/// Tests of compiled models with parts that no store of the fixtures has.
@Suite struct CompiledModelTests {
    /// Reads a model of one entity.
    private func photo(_ properties: [String: ArchivedPart]) throws -> EntityDescription {
        let entity = ArchivedEntityPart(["NSEntityName": "Photo"], parts: properties)
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.setClassName("NSManagedObjectModel", for: ArchivedModelPart.self)
        archiver.setClassName("NSEntityDescription", for: ArchivedEntityPart.self)
        archiver.setClassName("NSAttributeDescription", for: ArchivedAttributePart.self)
        archiver.setClassName("NSCompositeAttributeDescription", for: ArchivedCompositePart.self)
        archiver.setClassName("NSRelationshipDescription", for: ArchivedRelationshipPart.self)
        archiver.encode(
            ArchivedModelPart([:], parts: ["Photo": entity]), forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        let model = try ManagedObjectModel.reading(compiled: archiver.encodedData)
        return try #require(model.entity(named: "Photo"))
    }

    private func attribute(_ type: Int, flags: Int = 0, isTransient: Bool = false) -> ArchivedPart {
        ArchivedAttributePart([
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
        func relationship(_ inverse: String, _ most: Int) -> ArchivedPart {
            ArchivedRelationshipPart([
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
        let sides = Dictionary(
            uniqueKeysWithValues: entity.relationships.map { ($0.name, $0.storage) })
        #expect(sides == ["showing": .memory(.left), "shown": .memory(.right)])
    }

    @Test func `an attribute without a type is transient, or refused by its name`() throws {
        let entity = try photo(["any": attribute(0, isTransient: true)])
        #expect(entity.attributes.map(\.type) == [.undefined])
        let error = try #require(throws: ModelError.self) { try photo(["any": attribute(0)]) }
        #expect(error.entity == "Photo" && error.property == "any")
    }

    @Test func `a composite attribute is refused by its name, with what to read instead`() throws {
        let home = ArchivedCompositePart(["NSAttributeType": 2100, "NSIsOptional": true])
        let error = try #require(throws: ModelError.self) { try photo(["home": home]) }
        #expect(error.code == .notSupportedYet && error.feature == .compositeAttribute)
        #expect(error.entity == "Photo" && error.property == "home")
        #expect(error.message.contains("read the .xcdatamodel"), "\(error)")
    }
}

/// An object of an archive: its values by their keys.
///
/// Foundation archives only classes of a module's top level that are not private.
class ArchivedPart: NSObject, NSCoding {
    private let values: [String: any Sendable]
    private let parts: [String: ArchivedPart]

    init(_ values: [String: any Sendable], parts: [String: ArchivedPart] = [:]) {
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
        let key = self is ArchivedModelPart ? "NSEntities" : "NSProperties"
        coder.encode(NSDictionary(dictionary: parts), forKey: key)
    }
}

final class ArchivedModelPart: ArchivedPart {}
final class ArchivedEntityPart: ArchivedPart {}
final class ArchivedAttributePart: ArchivedPart {}
final class ArchivedCompositePart: ArchivedPart {}
final class ArchivedRelationshipPart: ArchivedPart {}
