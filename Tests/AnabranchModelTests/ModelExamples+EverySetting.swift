import AnabranchModel
import AnabranchReplication
import Foundation

extension ModelExamples {
    /// A model with every setting that a declaration has.
    static let everySetting: ModelDeclaration = {
        var byTitle = FetchRequestTemplate(
            "byTitle", entity: "Note", predicateFormat: "title == $title && size > 1",
            fetchLimit: 5)
        byTitle.fetchBatchSize = 20
        byTitle.includesSubentities = false
        byTitle.includesPendingChanges = false
        byTitle.includesPropertyValues = false
        byTitle.returnsObjectsAsFaults = false
        return ModelDeclaration(
            entities: [item, note, folder, EntityDeclaration("Empty")],
            fetchRequestTemplates: [byTitle, FetchRequestTemplate("all", entity: "Item")],
            versionIdentifier: "2.0 <beta>")
    }()

    private static let item = EntityDeclaration(
        "Item", isAbstract: true, representedClassName: ".Item", versionHashModifier: "second",
        deletePolicy: .updateWins, userInfo: ["note": "line 1\nline 2\t\"quoted\" & <marked>"]
    ) {
        AttributeDeclaration("id", .uuid, optional: false)
        AttributeDeclaration(
            "title", .string, default: "", minimum: 0, maximum: 80, regularExpression: "[^<&]*",
            validations: [
                .init("SELF != 'x'", warning: "Not x."), .init("length < 70"),
            ],
            renamingIdentifier: "name")
        UniquenessConstraint("id")
        UniquenessConstraint("title", "id")
        IndexDeclaration(
            "byTitle",
            elements: [
                IndexDeclaration.Element("title"), IndexDeclaration.Element("id", ascending: false),
            ])
    }

    private static let note = EntityDeclaration("Note", parent: "Item", wireName: "Memo") {
        AttributeDeclaration(
            "small", .integer16, optional: false, default: -3, minimum: -10, maximum: 10)
        AttributeDeclaration("middle", .integer32, default: 0, versionHashModifier: "m")
        AttributeDeclaration("size", .integer64, default: 7, wireName: "bytes", mergeRule: .counter)
        AttributeDeclaration(
            "price", .decimal, default: .decimal(ExactDecimal("12.50") ?? ExactDecimal(0)),
            minimum: 0)
        AttributeDeclaration("ratio", .double, default: 0.1, maximum: 1.5, mergeRule: .max)
        AttributeDeclaration("rate", .float, default: .double(Double(Float(0.1))))
        AttributeDeclaration("endless", .double, default: .double(.infinity))
        AttributeDeclaration("isPinned", .boolean, optional: false, default: true)
        AttributeDeclaration(
            "made", .date, default: .date(1.5), minimum: .date(-978_307_200),
            maximum: .date(1e9))
        AttributeDeclaration("never", .date, default: .date(.infinity))
        AttributeDeclaration(
            "seal", .binary, default: .data(Data([0, 1, 255])),
            allowsExternalBinaryDataStorage: true, preservesValueInHistoryOnDeletion: true)
        AttributeDeclaration(
            "key", .uuid,
            default: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))))
        AttributeDeclaration("page", .uri, default: .uri("https://example.org/?a=1&b=2"))
        AttributeDeclaration("noPage", .uri, default: .uri(""))
        AttributeDeclaration(
            "color", .transformable, transformer: "Color", className: "[String: Int]")
        AttributeDeclaration("plain", .transformable)
        AttributeDeclaration("cache", .undefined, default: "text: any", transient: true)
        AttributeDeclaration("draft", .string, transient: true)
        AttributeDeclaration("start", .integer64)
        AttributeDeclaration("end", .integer64)
        AttributeGroup("range", "start", "end")
        AttributeDeclaration("count", .integer64, derivation: "similar.@count")
        AttributeDeclaration("changed", .date, derivation: "now()")
        AttributeDeclaration("choice", .string, mergeRule: .keepBoth)
        RelationshipDeclaration(
            "folder", to: "Folder", optional: false, inverse: "notes",
            validations: [.init("SELF != nil", warning: "Choose a folder.")],
            wireName: "place", renamingIdentifier: "box", versionHashModifier: "r",
            userInfo: ["why": "a folder holds it"])
        RelationshipDeclaration(
            "links", toMany: "Item", minCount: 2, maxCount: 10, deleteRule: .noAction)
        RelationshipDeclaration("opener", to: "Folder", transient: true)
        RelationshipDeclaration("similar", toMany: "Note", inverse: "similar", deleteRule: .cascade)
        IndexDeclaration("byMade", on: "made", "folder")
    }

    private static let folder = EntityDeclaration("Folder", renamingIdentifier: "Box") {
        RelationshipDeclaration(
            "notes", toMany: "Note", ordered: true, inverse: "folder", deleteRule: .deny)
        RelationshipDeclaration("parent", to: "Folder", acyclic: true, inverse: "children")
        RelationshipDeclaration(
            "children", toMany: "Folder", inverse: "parent", deleteRule: .cascade)
    }
}

extension ModelDeclaration {
    /// The declaration without the user info entries of Anabranch's own settings.
    var withoutEntries: ModelDeclaration {
        func plain(_ entries: [String: String]) -> [String: String] {
            entries.filter { !$0.key.hasPrefix("anabranch.") }
        }
        var result = self
        for place in result.entities.indices {
            result.entities[place].userInfo = plain(result.entities[place].userInfo)
            for index in result.entities[place].attributes.indices {
                let entries = result.entities[place].attributes[index].userInfo
                result.entities[place].attributes[index].userInfo = plain(entries)
            }
            for index in result.entities[place].compositeAttributes.indices {
                result.entities[place].compositeAttributes[index].change {
                    $0.userInfo = plain($0.userInfo)
                } attribute: {
                    $0.userInfo = plain($0.userInfo)
                }
            }
            for index in result.entities[place].relationships.indices {
                let entries = result.entities[place].relationships[index].userInfo
                result.entities[place].relationships[index].userInfo = plain(entries)
            }
        }
        return result
    }
}

extension CompositeAttribute {
    /// Changes the composite attribute and everything in it.
    mutating func change(
        _ composite: (inout CompositeAttribute) -> Void,
        attribute: (inout AttributeDeclaration) -> Void
    ) {
        composite(&self)
        for index in attributes.indices { attribute(&attributes[index]) }
        for index in compositeAttributes.indices {
            compositeAttributes[index].change(composite, attribute: attribute)
        }
    }
}
