import AnabranchModel
import Foundation
import Testing

/// Tests of composite attributes in compiled models.
struct CompiledCompositeTests {
    private typealias Item = TestArchive.Item

    private func attribute(
        _ name: String, _ type: Int, _ more: [String: Item] = [:], in archive: inout TestArchive
    ) -> Item {
        let values: [String: Item] = [
            "NSPropertyName": .text(name), "NSAttributeType": .integer(type),
            "NSIsOptional": .flag(true),
        ]
        return archive.object("NSAttributeDescription", values.merging(more) { $1 })
    }

    private func composite(
        _ name: String, _ elements: [Item], _ more: [String: Item] = [:],
        in archive: inout TestArchive
    ) -> Item {
        let list = archive.object("NSArray", ["NS.objects": .list(elements)])
        let values: [String: Item] = [
            "NSPropertyName": .text(name), "NSAttributeType": .integer(2100),
            "NSIsOptional": .flag(true), "NSElements": list,
        ]
        return archive.object("NSCompositeAttributeDescription", values.merging(more) { $1 })
    }

    /// Reads a model of entities with one property each.
    private func read(
        _ entities: [String: (name: String, property: Item)], _ archive: TestArchive
    ) throws -> ManagedObjectModel {
        var archive = archive
        var items: [String: Item] = [:]
        for (entity, content) in entities {
            let properties = archive.dictionary([content.name: content.property])
            items[entity] = archive.object(
                "NSEntityDescription",
                ["NSEntityName": .text(entity), "NSProperties": properties])
        }
        let all = archive.dictionary(items)
        let root = archive.object("NSManagedObjectModel", ["NSEntities": all])
        return try ManagedObjectModel.reading(compiled: archive.data(root: root))
    }

    @Test func `a composite attribute is read as from a model file`() throws {
        var archive = TestArchive()
        let location = composite(
            "location",
            [
                attribute("latitude", 500, in: &archive), attribute("longitude", 500, in: &archive),
            ], in: &archive)
        let info = archive.dictionary(["anabranch.wireName": .text("town"), "a": .text("b")])
        let city = attribute(
            "city", 700,
            [
                "NSIsOptional": .flag(false), "NSDefaultValue": .text("Bern"),
                "NSUserInfo": info,
            ], in: &archive)
        let home = archive.dictionary(["anabranch.wireName": .text("home")])
        let address = composite(
            "address", [attribute("number", 100, in: &archive), city, location],
            [
                "NSUserInfo": home, "NSRenamingIdentifier": .text("place"),
                "NSVersionHashModifier": .text("2"),
            ], in: &archive)
        let compiled = try read(["Person": ("address", address)], archive)
        let text = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Person"><attribute name="address" optional="YES"
            attributeType="Composite" composite="Address" elementID="place"
            versionHashModifier="2"><userInfo>
            <entry key="anabranch.wireName" value="home"/></userInfo></attribute></entity>
            <composite name="Address">
            <attribute name="number" optional="YES" attributeType="Integer 16"/>
            <attribute name="city" attributeType="String" defaultValueString="Bern"><userInfo>
            <entry key="anabranch.wireName" value="town"/><entry key="a" value="b"/></userInfo>
            </attribute>
            <attribute name="location" optional="YES" attributeType="Composite"
            composite="Location"/></composite>
            <composite name="Location">
            <attribute name="latitude" optional="YES" attributeType="Double"/>
            <attribute name="longitude" optional="YES" attributeType="Double"/></composite>
            </model>
            """
        let file = try ManagedObjectModel.reading(xml: Data(text.utf8))
        #expect(compiled == file && compiled.declaration == file.declaration)
        let person = try #require(compiled.entity(named: "Person"))
        #expect(
            person.attributes.map(\.name) == [
                "address.city", "address.location.latitude", "address.location.longitude",
                "address.number",
            ])
    }

    @Test func `elements are found under any key, and only if there is one list of them`() throws {
        var archive = TestArchive()
        let street = attribute("street", 700, in: &archive)
        let city = attribute("city", 700, in: &archive)
        func home(_ lists: [String: Item]) throws -> [String]? {
            var archive = archive
            let item = archive.object("NSCompositeAttributeDescription", lists)
            return try read(["A": ("home", item)], archive).entity(named: "A")?.attributes
                .map(\.name)
        }
        let both = Item.list([street, city])
        #expect(try home(["other": both]) == ["home.city", "home.street"])
        #expect(try home(["other": both, "again": both]) == ["home.city", "home.street"])
        let refused: [[String: Item]] = [
            [:], ["x": both, "y": .list([street])], ["x": .list([street, .text("city")])],
        ]
        for lists in refused {
            let error = try #require(throws: ModelError.self) { try home(lists) }
            #expect(error.all.map(\.code) == [.notSupportedYet], "\(error)")
            #expect(error.feature == .compositeAttribute)
            #expect(error.entity == "A" && error.property == "home")
        }
    }

    @Test func `one name with other elements is the name of another type`() throws {
        var archive = TestArchive()
        let first = composite("place", [attribute("x", 700, in: &archive)], in: &archive)
        let second = composite("place", [attribute("y", 700, in: &archive)], in: &archive)
        let third = composite("place", [attribute("x", 700, in: &archive)], in: &archive)
        let model = try read(
            ["A": ("place", first), "B": ("place", second), "C": ("place", third)], archive)
        let names = model.entities.flatMap { $0.compositeAttributes.map(\.typeName) }
        #expect(names == ["APlace", "BPlace", "APlace"])
        let same = try read(["A": ("place", first), "C": ("place", third)], archive)
        #expect(
            same.entities.flatMap { $0.compositeAttributes.map(\.typeName) } == ["Place", "Place"])
    }

    @Test func `an element that can't be used is refused with its path`() throws {
        var archive = TestArchive()
        let inner = composite("inner", [attribute("odd", 4000, in: &archive)], in: &archive)
        let outer = composite("outer", [inner], in: &archive)
        let error = try #require(throws: ModelError.self) {
            try read(["A": ("outer", outer)], archive)
        }
        #expect(error.entity == "A" && error.property == "outer.inner.odd", "\(error)")
    }

    @Test func `a composite attribute that contains itself is refused`() throws {
        var trial = TestArchive()
        let probe = composite("c", [.reference(0)], in: &trial)
        var archive = TestArchive()
        let circle = composite("c", [probe], in: &archive)
        let error = try #require(throws: ModelError.self) {
            try read(["A": ("c", circle)], archive)
        }
        #expect(error.all.contains { $0.code == .limitExceeded }, "\(error)")
    }
}
