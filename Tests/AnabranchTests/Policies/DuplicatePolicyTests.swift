import Anabranch
import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation
import Testing

/// Tests of merge policies in stores that show several records with one unique key as one.
@Suite struct `A merge policy and records that show as one` {
    let scenario: ViewScenario

    init() throws {
        scenario = try ViewScenario(
            ManagedObjectModel {
                EntityDeclaration("Tag") {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("code", .string)
                    AttributeDeclaration("note", .string)
                    AttributeDeclaration("uses", .integer64, mergeRule: .counter)
                    RelationshipDeclaration("pages", toMany: "Page", inverse: "tag")
                    UniquenessConstraint("name")
                    UniquenessConstraint("code")
                }
                EntityDeclaration("Page") {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("tag", to: "Tag", inverse: "pages")
                }
            })
        for (container, page) in [(scenario.first, "p"), (scenario.second, "q")] {
            try scenario.save(container) { context in
                let tag = try context.make("Tag", ["name": "swift", "uses": 2])
                // One code is that of the merged duplicate and is hidden.
                try tag.setValue(.string(page), forKey: "code")
                try tag.objects(forKey: "pages").insert(try context.make("Page", page))
            }
        }
        try scenario.exchange()
    }

    private func inFirst<T>(
        _ policy: any MergePolicy, _ body: (ManagedObjectContext) throws -> sending T
    ) throws -> sending T {
        Thread.sleep(forTimeInterval: 0.002)
        return try scenario.read(scenario.first) { context in
            context.mergePolicy = policy
            return try body(context)
        }
    }

    private func expectOneTag(
        _ container: PersistentContainer, note: PropertyValue, uses: PropertyValue, pages: [String]
    ) throws {
        try scenario.read(container) { context in
            let tag = try context.named("swift", "Tag")
            #expect(try tag.values("note", "uses") == [note, uses])
            #expect(try tag.names("pages").sorted() == pages)
            #expect(try context.duplicateCount(of: "Tag") == 1)
        }
    }

    @Test(arguments: Policy.resolving)
    func `a new object becomes the one that shows them`(policy: Policy) throws {
        let id = try inFirst(policy.policy) { context throws in
            let new = try context.make("Tag", ["name": "swift", "note": "n", "uses": 1])
            try new.objects(forKey: "pages").insert(try context.make("Page", "r"))
            try context.save()
            #expect(try context.duplicateCount(of: "Tag") == 1)
            #expect(try new.names("pages").sorted() == ["p", "q", "r"])
            return new.objectID
        }
        let (note, uses): (PropertyValue, PropertyValue) =
            policy == .rollback ? (.null, 4) : ("n", 5)
        // A policy that overwrites removes the code too. Then only the name makes the records one.
        try expectOneTag(scenario.first, note: note, uses: uses, pages: ["p", "q", "r"])
        try scenario.exchange()
        try expectOneTag(scenario.second, note: note, uses: uses, pages: ["p", "q", "r"])
        try inFirst(.error) { context throws in
            #expect(try context.named("swift", "Tag").objectID == id)
        }
    }

    @Test(arguments: ["p", "q"], [Policy.storeTrump, .objectTrump])
    func `a key that only one of them holds is theirs`(code: String, policy: Policy) throws {
        try inFirst(policy.policy) { context throws in
            _ = try context.make("Tag", ["code": .string(code), "note": "n"])
            try context.save()
            #expect(!context.hasChanges)
            #expect(try context.named("swift", "Tag").values("note") == ["n"])
            let request = FetchRequest<ManagedObject>(entityName: "Tag")
            #expect(try context.count(for: request) == 1)
        }
    }

    @Test(arguments: Policy.resolving)
    func `an object that is changed to their key`(policy: Policy) throws {
        try inFirst(policy.policy) { context throws in
            let other = try context.make("Tag", ["name": "other", "note": "o"])
            try context.save()
            try other.setValue(.string("swift"), forKey: "name")
            try context.save()
            #expect(try other.values("name") == [policy.isOfContext ? "swift" : "other"])
            #expect(try other.names("pages").sorted() == (policy.isOfContext ? ["p", "q"] : []))
            #expect(try context.duplicateCount(of: "Tag") == (policy.isOfContext ? 0 : 1))
            let swift = try context.named("swift", "Tag")
            #expect((swift === other) == policy.isOfContext)
        }
        try scenario.exchange()
        try scenario.read(scenario.second) { context in
            let tags = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))
            #expect(tags.count == (policy.isOfContext ? 1 : 2))
            #expect(try context.named("swift", "Tag").names("pages").sorted() == ["p", "q"])
        }
    }

    @Test(arguments: Policy.resolving)
    func `a read of them that is lost is settled as any other`(policy: Policy) throws {
        try inFirst(policy.policy) { context throws in
            let tag = try context.named("swift", "Tag")
            try tag.set(["note": "here", "uses": 5])
            try inFirst(.error) { other throws in
                try other.named("swift", "Tag").set(["note": "there", "uses": 7])
                try other.save()
            }
            try context.save()
        }
        let note: PropertyValue = policy.isOfContext ? "here" : "there"
        let uses: PropertyValue = policy == .rollback ? 7 : 8
        try expectOneTag(scenario.first, note: note, uses: uses, pages: ["p", "q"])
        try scenario.exchange()
        try expectOneTag(scenario.second, note: note, uses: uses, pages: ["p", "q"])
    }
}
