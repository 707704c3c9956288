import AnabranchModel
import AnabranchReplication
import Foundation
import Testing

@Suite struct `Transformable attributes of a model` {
    private func model(_ colour: AttributeDeclaration) throws -> ManagedObjectModel {
        try ManagedObjectModel { EntityDeclaration("Laptop") { colour } }
    }

    private func refusal(_ colour: AttributeDeclaration) throws -> ModelError {
        try #require(throws: ModelError.self) { try model(colour) }
    }

    @Test func `they hold bytes and nothing else`() {
        #expect(AttributeType.transformable.rawValue == 1800)
        #expect(AttributeType.transformable.wireType == .data)
        #expect(AttributeType.transformable.accepts(.data(Data([1]))))
        #expect(AttributeType.transformable.accepts(.null))
        #expect(!AttributeType.transformable.accepts(.string("red")))
        #expect(AttributeType.transformable.coerce(.string("red")) == nil)
    }

    @Test func `the name of the transformer is part of the model, and only where there is one`()
        throws
    {
        let plain = try model(AttributeDeclaration("colour", .transformable))
        let named = try model(AttributeDeclaration("colour", .transformable, transformer: "Dye"))
        let empty = try model(AttributeDeclaration("colour", .transformable, transformer: ""))
        #expect(empty == plain && named != plain)
        for model in [plain, named] {
            let decoded = try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
            #expect(decoded == model)
            #expect(
                try decoded.attribute("Laptop", "colour").valueTransformerName
                    == model.attribute("Laptop", "colour").valueTransformerName)
        }
        // The bytes are field 15 and the length 3.
        let field = [UInt8](arrayLiteral: 15, 3) + Array("Dye".utf8)
        #expect(named.canonicalEncoding.firstRange(of: field) != nil)
        #expect(named.canonicalEncoding.count == plain.canonicalEncoding.count + field.count)
    }

    @Test func `the class of the values is nothing that a store knows`() throws {
        let plain = try model(AttributeDeclaration("colour", .transformable))
        let typed = try model(AttributeDeclaration("colour", .transformable, className: "Dye"))
        #expect(typed == plain && typed.hash == plain.hash)
        #expect(try typed.attribute("Laptop", "colour").declaration.valueClassName == "Dye")
    }

    @Test func `a default value is refused, and a transformer of any other type`() throws {
        let preset = try refusal(
            AttributeDeclaration("colour", .transformable, default: .data(Data([1]))))
        #expect(preset.code == .invalidValue)
        #expect(preset.entity == "Laptop" && preset.property == "colour")
        #expect(preset.message.contains("awakeFromInsert()"))
        #expect(throws: Never.self) {
            try model(AttributeDeclaration("colour", .transformable, default: .null))
        }
        let misplaced = try refusal(AttributeDeclaration("colour", .string, transformer: "Dye"))
        #expect(misplaced.code == .invalidProperty && misplaced.property == "colour")
        let bounded = try refusal(AttributeDeclaration("colour", .transformable, minimum: 1))
        #expect(bounded.code == .invalidBounds)
    }

    @Test(arguments: [
        "colour == nil", "colour != nil", "colour == %@", "%@ == colour", "colour != %@",
        "colour IN {%@}", "colour == icon", "other.colour == nil", "colour == twin",
    ])
    func `a predicate compares their bytes`(format: String) throws {
        let laptop = try #require(try laptops().entity(named: "Laptop"))
        let bytes = Data([1])
        let predicate =
            format.contains("%@") ? try FetchPredicate(format, bytes) : try FetchPredicate(format)
        #expect(throws: Never.self) { try predicate.resolved(for: laptop) }
    }

    @Test(arguments: [
        "colour == 'red'", "colour == 1", "colour > %@", "%@ <= colour", "colour BETWEEN {%@, %@}",
        "colour CONTAINS 'r'", "colour LIKE '*'", "colour > nil", "colour >= icon",
        "colour == title", "ANY others.colour < %@", "colour.red == 1",
    ])
    func `a predicate asks nothing else of them`(format: String) throws {
        let laptop = try #require(try laptops().entity(named: "Laptop"))
        let bytes = Data([1])
        let predicate =
            switch format.components(separatedBy: "%@").count {
            case 1: try FetchPredicate(format)
            case 2: try FetchPredicate(format, bytes)
            default: try FetchPredicate(format, bytes, bytes)
            }
        let error = #expect(throws: FetchPredicateError.self) {
            try predicate.resolved(for: laptop)
        }
        #expect(error?.code == (format == "colour.red == 1" ? .notARelationship : .typeMismatch))
        #expect(error?.entity == "Laptop")
    }

    @Test func `nothing is sorted by them`() throws {
        let laptop = try #require(try laptops().entity(named: "Laptop"))
        for path in ["colour", "other.colour"] {
            let error = #expect(throws: FetchPredicateError.self) {
                try FetchSort(path).resolved(for: laptop)
            }
            #expect(error?.code == .typeMismatch && error?.key == "colour")
        }
    }

    private func laptops() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Laptop") {
                AttributeDeclaration("colour", .transformable, transformer: "Dye")
                AttributeDeclaration("icon", .binary)
                AttributeDeclaration("title", .string)
                AttributeDeclaration("twin", .transformable)
                RelationshipDeclaration("other", to: "Laptop", inverse: "others")
                RelationshipDeclaration("others", toMany: "Laptop", inverse: "other")
            }
        }
    }
}
