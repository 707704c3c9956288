import AnabranchModel
import Foundation
import TestSupport
import Testing

/// Tests of the setting that makes an attribute searchable.
@Suite struct `Searchable attributes` {
    private func model(_ attribute: AttributeDeclaration) throws -> ManagedObjectModel {
        try ManagedObjectModel { EntityDeclaration("Article") { attribute } }
    }

    private func problem(of attribute: AttributeDeclaration) -> String? {
        do {
            _ = try model(attribute)
            return nil
        } catch { return "\(error)" }
    }

    @Test func `are kept in a file's model, and are no other version`() throws {
        let plain = try model(AttributeDeclaration("title", .string))
        let search = try model(
            AttributeDeclaration(
                "title", .string, searchable: TextSearch(prefixLengths: [3, 2, 3])))
        let decoded = try ManagedObjectModel(canonicalEncoding: search.canonicalEncoding)
        let attribute = try #require(decoded.entity(named: "Article")?.attributes.first)
        #expect(attribute.search == TextSearch(prefixLengths: [2, 3]))
        #expect(search.hasVersion(of: plain))
        #expect(search.canonicalEncoding != plain.canonicalEncoding)
        #expect(decoded.entities[0].searchableAttributes == [attribute])
    }

    @Test func `that have no words are refused`() {
        let search = TextSearch()
        let cases: [(AttributeDeclaration, String)] = [
            (AttributeDeclaration("age", .integer64, searchable: search), "its type is integer64"),
            (
                AttributeDeclaration("t", .string, transient: true, searchable: search),
                "it is transient"
            ),
            (AttributeDeclaration("rank", .string, searchable: search), "SQLite reserves the name"),
            (
                AttributeDeclaration("RowID", .string, searchable: search),
                "SQLite reserves the name"
            ),
            (
                AttributeDeclaration("t", .string, searchable: TextSearch(prefixLengths: [0])),
                "the prefix length 0"
            ),
            (
                AttributeDeclaration("t", .string, searchable: TextSearch(prefixLengths: [32])),
                "the prefix length 32"
            ),
        ]
        for (attribute, reason) in cases {
            #expect(problem(of: attribute)?.contains(reason) == true, "\(attribute.name)")
        }
    }

    @Test func `are in the user info of a model file`() throws {
        for (text, search) in [
            ("YES", TextSearch()), ("2 3", TextSearch(prefixLengths: [2, 3])), ("NO", nil),
            ("4,2", TextSearch(prefixLengths: [2, 4])),
        ] as [(String, TextSearch?)] {
            let read = try ManagedObjectModel.reading(xml: Self.file(text))
            let attribute = try #require(read.entities.first?.attributes.first)
            #expect(attribute.search == search, "\(text)")
        }
        #expect(throws: (any Error).self) {
            try ManagedObjectModel.reading(xml: Self.file("perhaps"))
        }
    }

    private static func file(_ text: String) -> Data {
        XcodeModelText.model(
            """
            <entity name="Article">
            <attribute name="title" optional="YES" attributeType="String">
            <userInfo><entry key="anabranch.searchable" value="\(text)"/></userInfo>
            </attribute>
            </entity>
            """)
    }
}
