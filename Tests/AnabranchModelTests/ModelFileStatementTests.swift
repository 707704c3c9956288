import AnabranchModel
import AnabranchReplication
import Foundation
import Testing

/// Tests of the meaning of each statement of a model file.
struct ModelFileStatementTests {
    private func read(_ attributes: String, entity: String = "") throws -> ManagedObjectModel {
        try ManagedObjectModel.reading(
            xml: XcodeModelText.model("<entity name=\"E\" \(entity)>\(attributes)</entity>"),
            file: "contents")
    }

    private func attribute(_ mark: String) throws -> AttributeDescription {
        try read("<attribute name=\"a\" \(mark)/>").attribute("E", "a")
    }

    @Test func `an attribute that does not say that it is optional is mandatory`() throws {
        #expect(try !attribute("attributeType=\"String\"").isOptional)
        #expect(try attribute("attributeType=\"String\" optional=\"YES\"").isOptional)
    }

    @Test(arguments: [("YES", true), ("NO", false), ("0", false), ("1", true)])
    func `a truth value's default is a word or a digit`(_ text: String, _ value: Bool) throws {
        let read = try attribute("attributeType=\"Boolean\" defaultValueString=\"\(text)\"")
        #expect(read.defaultValue == .bool(value))
    }

    @Test func `a number without a default has none`() throws {
        #expect(try attribute("attributeType=\"Integer 16\" optional=\"YES\"").defaultValue.isNull)
        #expect(try attribute("attributeType=\"Integer 16\"").defaultValue.isNull)
    }

    @Test func `a date's default is its interval, and the text beside it says nothing`() throws {
        let date = try attribute(
            "attributeType=\"Date\" defaultDateTimeInterval=\"388411200\" "
                + "defaultValueString=\"2013-04-23 12:00:00 +0000\"")
        #expect(date.defaultValue == .date(388_411_200))
    }

    private func relationship(_ mark: String) throws -> RelationshipDescription {
        try read(
            "<relationship name=\"r\" optional=\"YES\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"E\" \(mark)/>"
        ).relationship("E", "r")
    }

    @Test func `a relationship of at most one is a to-one`() throws {
        let one = try relationship("maxCount=\"1\"")
        #expect(!one.isToMany && one.minCount == 0 && one.maxCount == 1)
        #expect(try relationship("toMany=\"YES\"").isToMany)
        #expect(try relationship("toMany=\"YES\"").maxCount == nil)
        let unbounded = try relationship("toMany=\"YES\" maxCount=\"0\"")
        #expect(unbounded.isToMany && unbounded.maxCount == nil)
        let five = try relationship("toMany=\"YES\" maxCount=\"5\"")
        #expect(five.isToMany && five.maxCount == 5)
    }

    @Test func `the mark decides what is to-many, not the greatest count`() throws {
        let bounded = try relationship("toMany=\"YES\" maxCount=\"1\"")
        #expect(bounded.isToMany && bounded.maxCount == 1)
        let error = #expect(throws: ModelError.self) { try relationship("maxCount=\"5\"") }
        #expect(error?.code == .invalidBounds && error?.property == "r")
    }

    @Test func `a version hash modifier makes another version`() throws {
        let plain = try read("<attribute name=\"a\" attributeType=\"String\"/>")
        let modified = try read(
            "<attribute name=\"a\" attributeType=\"String\" versionHashModifier=\"2\"/>",
            entity: "versionHashModifier=\"3\"")
        #expect(!modified.hasVersion(of: plain))
        #expect(try modified.attribute("E", "a").declaration.versionHashModifier == "2")
        #expect(try modified.required("E").declaration.versionHashModifier == "3")
        let relationship = try self.relationship("maxCount=\"1\" versionHashModifier=\"4\"")
        #expect(relationship.declaration.versionHashModifier == "4")
    }

    @Test func `an element ID is the name from before`() throws {
        let model = try read(
            "<attribute name=\"a\" attributeType=\"String\" elementID=\"old\"/>"
                + "<relationship name=\"r\" optional=\"YES\" maxCount=\"1\" elementID=\"was\" "
                + "deletionRule=\"Nullify\" destinationEntity=\"E\"/>",
            entity: "elementID=\"before\"")
        #expect(try model.attribute("E", "a").declaration.renamingIdentifier == "old")
        #expect(try model.relationship("E", "r").declaration.renamingIdentifier == "was")
        #expect(try model.required("E").declaration.renamingIdentifier == "before")
    }

    @Test func `without an element ID the name is the name from before`() throws {
        let plain = try attribute("attributeType=\"String\"")
        #expect(plain.declaration.renamingIdentifier == nil)
        #expect(plain.wireProperty.name == "a")
        let model = try read(
            "<relationship name=\"r\" optional=\"YES\" maxCount=\"1\" "
                + "deletionRule=\"Nullify\" destinationEntity=\"E\"/>")
        #expect(try model.relationship("E", "r").wireProperty.name == "r")
        #expect(try model.required("E").wireName == "E")
    }
}
