import AnabranchModel
import Foundation
import Testing

@Suite struct `Fetched properties of a model` {
    private func model(
        _ property: FetchedProperty, parent: FetchedProperty? = nil
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Base") {
                AttributeDeclaration("made", .date)
                if let parent { parent }
            }
            EntityDeclaration("Note", parent: "Base") {
                AttributeDeclaration("title", .string)
                AttributeDeclaration("stars", .integer16)
                RelationshipDeclaration("folder", to: "Folder", inverse: "notes")
                property
            }
            EntityDeclaration("Folder") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("notes", toMany: "Note", inverse: "folder")
            }
        }
    }

    private func refusal(
        _ format: String?, of entity: String = "Note", named name: String = "found"
    ) throws -> ModelError {
        try #require(throws: ModelError.self) {
            try model(FetchedProperty(name, of: entity, predicateFormat: format))
        }
    }

    @Test func `survive the encoding and Xcode's file, and are inherited`() throws {
        let property = FetchedProperty(
            "like", of: "Folder", predicateFormat: "title == $FETCH_SOURCE.title", fetchLimit: 3,
            userInfo: ["a": "b & c"])
        let all = FetchedProperty("all", of: "Note")
        let model = try model(property, parent: all)
        let note = try #require(model.entity(named: "Note"))
        #expect(note.fetchedProperties.map(\.name) == ["all", "like"])
        #expect(note.fetchedProperty(named: "like")?.destination.name == "Folder")
        #expect(note.fetchedProperty(named: "all")?.entity.name == "Base")
        #expect(try ManagedObjectModel(canonicalEncoding: model.canonicalEncoding) == model)
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString).xcdatamodel")
        defer { try? FileManager.default.removeItem(at: folder) }
        try model.write(toXcodeModel: folder)
        let read = try ManagedObjectModel.reading(folder)
        let found = read.entities.flatMap(\.declaration.fetchedProperties)
        #expect(found == [all, property])
        #expect(read.warnings.allSatisfy { $0.property != "like" })
    }

    @Test func `make no other version`() throws {
        let one = try model(FetchedProperty("all", of: "Note"))
        let other = try model(FetchedProperty("some", of: "Folder", fetchLimit: 1))
        #expect(one.hasVersion(of: other) && one != other)
    }

    @Test func `may use paths of the object and their own user info`() throws {
        for format in [
            "title == $FETCH_SOURCE.title", "SELF == $FETCH_SOURCE",
            "folder == $FETCH_SOURCE.folder", "stars > $FETCH_SOURCE.stars",
            "SELF IN $FETCH_SOURCE.folder.notes", "made < $FETCH_SOURCE.made",
            "title CONTAINS $FETCHED_PROPERTY.userInfo.word", "TRUEPREDICATE",
        ] {
            _ = try model(
                FetchedProperty(
                    "found", of: "Note", predicateFormat: format, userInfo: ["word": "x"]))
        }
    }

    @Test func `are refused with entity and property`() throws {
        let cases: [(ModelError, ModelError.Code)] = [
            (try refusal("title =="), .invalidPredicate),
            (try refusal("nothing == 1"), .invalidPredicate),
            (try refusal("title == $FETCH_SOURCE.nothing"), .invalidPredicate),
            (try refusal("title == $FETCH_SOURCE.title.length"), .invalidPredicate),
            (try refusal("title == $FETCH_SOURCE.folder.notes.title"), .invalidPredicate),
            (try refusal("title == $FETCH_SOURCE.stars"), .invalidPredicate),
            (try refusal("title == $other"), .invalidPredicate),
            (try refusal(nil, of: "Nothing"), .unknownEntity),
            (try refusal(nil, named: "title"), .duplicateName),
            (try refusal(nil, named: "made"), .duplicateName),
        ]
        for (error, code) in cases {
            #expect(error.code == code && error.entity == "Note", "\(error)")
            #expect(error.property != nil)
        }
        #expect(throws: ModelError.self) {
            let all = FetchedProperty("all", of: "Note")
            return try model(all, parent: all)
        }
    }
}
