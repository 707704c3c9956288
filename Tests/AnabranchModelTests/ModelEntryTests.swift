import AnabranchModel
import AnabranchReplication
import Foundation
import Testing

/// Tests of the user info entries that hold settings for which Xcode has no place.
struct ModelEntryTests {
    private func read(_ entries: String, type: String = "Integer 64") throws -> ManagedObjectModel {
        try ManagedObjectModel.reading(
            xml: XcodeModelText.model(
                """
                <entity name="A">
                <attribute name="x" optional="YES" attributeType="\(type)" \
                defaultValueString="1"><userInfo>\(entries)</userInfo></attribute>
                </entity>
                """))
    }

    private func refusal(_ entries: String) throws -> ModelError {
        let error = #expect(throws: ModelError.self) { try read(entries) }
        return try #require(error)
    }

    @Test func `validations are read in the order of their numbers`() throws {
        let model = try read(
            """
            <entry key="anabranch.validation.10" value="SELF != 7"/>
            <entry key="anabranch.validation.2" value="SELF &gt; 0"/>
            <entry key="anabranch.validation.2.warning" value="Above 0."/>
            """)
        let rules = try model.attribute("A", "x").declaration.validations
        #expect(rules == [.init("SELF > 0", warning: "Above 0."), .init("SELF != 7")])
    }

    @Test(arguments: [
        "anabranch.validation.0", "anabranch.validation.01", "anabranch.validation.x",
        "anabranch.validation.1.warning", "anabranch.validation.",
    ])
    func `a key of no validation is refused with its place`(key: String) throws {
        let error = try refusal("<entry key=\"\(key)\" value=\"SELF &gt; 0\"/>")
        #expect(error.code == .invalidPredicate && error.property == "x" && error.line == 4)
        #expect(error.message.contains(key))
    }

    @Test func `a validation that can't be read is refused with its place`() throws {
        let error = try refusal("<entry key=\"anabranch.validation.1\" value=\"SELF &gt;\"/>")
        #expect(error.code == .invalidPredicate && error.line == 4)
    }

    @Test func `a default in an entry replaces the one beside it`() throws {
        let number = try read("<entry key=\"anabranch.default\" value=\"integer64:5\"/>")
        #expect(try number.attribute("A", "x").defaultValue == 5)
        let bytes = try read(
            "<entry key=\"anabranch.default\" value=\"binary:AAEC\"/>", type: "Binary")
        #expect(try bytes.attribute("A", "x").defaultValue == .data(Data([0, 1, 2])))
    }

    @Test(arguments: ["5", "integer64:", "integer64:x", "binary:?", "number:5", ""])
    func `a default without a type or with a wrong value is refused`(text: String) throws {
        let error = try refusal("<entry key=\"anabranch.default\" value=\"\(text)\"/>")
        #expect(error.code == .invalidValue && error.property == "x" && error.line == 4)
    }

    @Test func `a default of another type is refused`() throws {
        let error = try refusal("<entry key=\"anabranch.default\" value=\"string:five\"/>")
        #expect(error.code == .invalidValue && error.message.contains("integer64"))
    }

    @Test func `warnings have the file and the line of their property`() throws {
        let text = XcodeModelText.model(
            """
            <entity name="A">
            <attribute name="x" optional="YES" attributeType="String" allowsCloudEncryption="YES"/>
            <relationship name="a" optional="YES" maxCount="1" destinationEntity="A"/>
            </entity>
            """)
        let model = try ManagedObjectModel.reading(xml: text, file: "A.xcdatamodel/contents")
        #expect(model.warnings.map(\.line) == [4, 5])
        #expect(model.warnings.allSatisfy { $0.file == "A.xcdatamodel/contents" })
        let warning = try #require(model.warnings.last)
        #expect(warning.description.hasPrefix("A.xcdatamodel/contents:5: The relationship A.a"))
        let declared = try ManagedObjectModel(model.declaration)
        #expect(declared.warnings.allSatisfy { $0.file == nil && $0.line == nil })
    }

    @Test func `differences list the changes beside the refusals`() throws {
        let old = try ManagedObjectModel {
            EntityDeclaration("A") {
                AttributeDeclaration("x", .string)
                AttributeDeclaration("y", .date)
            }
        }
        let new = try ManagedObjectModel {
            EntityDeclaration("A") { AttributeDeclaration("x", .binary) }
        }
        let differences = ModelDifferences(from: old, to: new)
        #expect(differences.changes.contains(.propertyRemoved(entity: "A", property: "y")))
        #expect(differences.refusals.map(\.property) == ["x"])
        #expect(!differences.isSameVersion)
        let same = ModelDifferences(from: old, to: old)
        #expect(same.changes.isEmpty && same.refusals.isEmpty && same.isSameVersion)
    }
}
