import AnabranchModel
import AnabranchReplication
import Foundation
import Testing

/// Tests of the settings in the user infos of compiled models.
@Suite struct `User infos of compiled models` {
    /// Reads one model in both forms: a note with a text, a to-one, and a configuration.
    private func models(
        entity: [String: String] = [:], text: [String: String] = [:], boss: [String: String] = [:]
    ) throws -> (file: ManagedObjectModel, compiled: ManagedObjectModel) {
        (
            try ManagedObjectModel.reading(xml: file(entity, text, boss)),
            try ManagedObjectModel.reading(compiled: archive(entity, text, boss))
        )
    }

    private func file(
        _ entity: [String: String], _ text: [String: String], _ boss: [String: String]
    ) -> Data {
        func info(_ entries: [String: String]) -> String {
            let texts = entries.map { "<entry key=\"\($0)\" value=\"\($1)\"/>" }.joined()
            return "<userInfo>\(texts)</userInfo>"
        }
        return Data(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
              <entity name="Note">\(info(entity))
                <attribute name="text" optional="YES" attributeType="Integer 64">\(info(text))\
            </attribute>
                <relationship name="next" optional="YES" maxCount="1" deletionRule="No Action" \
            destinationEntity="Note">\(info(boss))</relationship>
              </entity>
              <configuration name="Local"><memberEntity name="Note"/></configuration>
            </model>
            """.utf8)
    }

    private func archive(
        _ entity: [String: String], _ text: [String: String], _ boss: [String: String]
    ) -> Data {
        var archive = TestArchive()
        func info(_ entries: [String: String]) -> TestArchive.Item {
            archive.dictionary(entries.mapValues { .text($0) })
        }
        let properties = [
            "text": archive.object(
                "NSAttributeDescription",
                [
                    "NSAttributeType": .integer(300), "NSIsOptional": .flag(true),
                    "NSUserInfo": info(text),
                ]),
            "next": archive.object(
                "NSRelationshipDescription",
                [
                    "_NSDestinationEntityName": .text("Note"), "NSMaxCount": .integer(1),
                    "NSIsOptional": .flag(true), "NSUserInfo": info(boss),
                ]),
        ]
        let note = archive.object(
            "NSEntityDescription",
            [
                "NSEntityName": .text("Note"), "NSProperties": archive.dictionary(properties),
                "NSUserInfo": info(entity),
            ])
        let members = archive.object("NSArray", ["NS.objects": .list([note])])
        let root = archive.object(
            "NSManagedObjectModel",
            [
                "NSEntities": archive.dictionary(["Note": note]),
                "NSConfigurations": archive.dictionary(["Local": members]),
            ])
        return archive.data(root: root)
    }

    @Test func `mean the same as in a model file`() throws {
        let (file, compiled) = try models(
            entity: [
                "anabranch.wireName": "memo", "anabranch.deletePolicy": "updateWins",
                "anabranch.unsynced.Local": "YES",
            ],
            text: [
                "anabranch.wireName": "count", "anabranch.mergeRule": "max",
                "anabranch.default": "integer64:7", "anabranch.validation.1": "SELF > 100",
                "anabranch.validation.1.warning": "too many",
            ],
            boss: ["anabranch.wireName": "successor", "anabranch.acyclic": "YES"])
        #expect(compiled.declaration == file.declaration)
        #expect(compiled.hash == file.hash)
        let note = try #require(compiled.entity(named: "Note"))
        #expect(note.wireName.string == "memo" && note.deletePolicy == .updateWins)
        #expect(!note.isSynced)
        let text = try #require(note.attributes.first)
        #expect(text.wireProperty.rule == .max && text.defaultValue == .integer(7))
        #expect(text.declaration.validations.map(\.predicateFormat) == ["SELF > 100"])
        #expect(note.relationships.first?.isAcyclic == true)
    }

    @Test func `put attributes into groups`() throws {
        let (file, compiled) = try models(text: ["anabranch.mergeGroup": "place"])
        #expect(compiled.hash == file.hash)
        #expect(compiled.entity(named: "Note")?.attributeGroups.map(\.name) == ["place"])
    }

    @Test(arguments: [
        ("anabranch.mergeRule", "loudest", "text"), ("anabranch.default", "7", "text"),
        ("anabranch.validation.x", "SELF > 1", "text"), ("anabranch.acyclic", "perhaps", "next"),
        ("anabranch.deletePolicy", "never", nil), ("anabranch.unsynced.Remote", "YES", nil),
        ("anabranch.unsynced.Local", "perhaps", nil),
    ])
    func `with a wrong value are refused in both forms alike`(
        key: String, value: String, property: String?
    ) throws {
        let entry = [key: value]
        let infos = (
            entity: property == nil ? entry : [:], text: property == "text" ? entry : [:],
            next: property == "next" ? entry : [:]
        )
        let inFile = try #require(throws: ModelError.self) {
            try ManagedObjectModel.reading(xml: file(infos.entity, infos.text, infos.next))
        }
        let compiled = try #require(throws: ModelError.self) {
            try ManagedObjectModel.reading(compiled: archive(infos.entity, infos.text, infos.next))
        }
        #expect(compiled.message == inFile.message && compiled.code == inFile.code)
        #expect(compiled.entity == "Note" && compiled.property == property)
        #expect(inFile.entity == "Note" && inFile.property == property && inFile.line != nil)
    }
}
