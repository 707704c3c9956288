import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// How a brand knows its sites, and what deleting it does to them.
struct BrandModel: Sendable, CustomTestStringConvertible {
    var isOrdered = false
    var isMandatory = false
    var isCascading = false

    static let all = [false, true].flatMap { isOrdered in
        [false, true].flatMap { isMandatory in
            [false, true].map {
                BrandModel(isOrdered: isOrdered, isMandatory: isMandatory, isCascading: $0)
            }
        }
    }

    var testDescription: String {
        "\(isOrdered ? "list" : "set"), \(isMandatory ? "mandatory" : "optional") inverse, "
            + (isCascading ? "cascade" : "nullify")
    }

    func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Brand") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration(
                    "sites", toMany: "Site", ordered: isOrdered, inverse: "brand",
                    deleteRule: isCascading ? .cascade : .nullify)
                RelationshipDeclaration("owner", to: "Owner", inverse: "brand")
                RelationshipDeclaration("labels", toMany: "Label", inverse: "brands")
            }
            EntityDeclaration("Site") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration(
                    "brand", to: "Brand", optional: !isMandatory, inverse: "sites")
            }
            // The name of this side is the smaller one, so the reference is stored here.
            EntityDeclaration("Owner") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("brand", to: "Brand", inverse: "owner")
            }
            EntityDeclaration("Label") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("brands", toMany: "Brand", inverse: "labels")
            }
        }
    }
}

/// What the context that edits an object has in memory of the related objects.
enum Memory: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case nothing, identifiers, released, held

    var testDescription: String { rawValue }
}

/// A store with a brand that has two sites, an owner and a label.
private struct BrandStore {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init(_ model: BrandModel) throws {
        directory = try TemporaryDirectory("brands")
        container = PersistentContainer(
            model: try model.make(), url: URL(filePath: directory.file("brands.anabranch")))
        try container.load()
        try elsewhere { context in
            let brand = try context.make("Brand", ["name": "B"])
            for name in ["s", "t"] {
                try context.make("Site", ["name": .string(name)]).setObject(brand, forKey: "brand")
            }
            try context.make("Owner", ["name": "o"]).setObject(brand, forKey: "brand")
            try brand.objects(forKey: "labels").insert(try context.make("Label", ["name": "l"]))
        }
    }

    func inContext(
        _ policy: Policy = .error, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try container.newBackgroundContext().performAndWait { context in
            context.mergePolicy = policy.policy
            try body(context)
        }
    }

    func elsewhere(_ body: (ManagedObjectContext) throws -> Void) throws {
        try inContext { context throws in
            try body(context)
            try context.save()
        }
    }

    func delete(_ entity: String, _ names: String...) throws {
        try elsewhere { context in
            for name in names { context.delete(try context.named(name, entity)) }
        }
    }

    /// Reads what a context is to have in memory.
    ///
    /// - Returns: What the caller has to hold.
    func remember(_ memory: Memory, of brand: ManagedObject) throws -> [ManagedObject] {
        guard memory != .nothing else { return [] }
        #expect(try brand.objects(forKey: "sites").count == 2)
        guard memory != .identifiers else { return [] }
        let sites = try brand.objects(forKey: "sites").objects
        #expect(try Set(sites.map { try $0.givenName }) == ["s", "t"])
        return memory == .held ? sites : []
    }
}

@Suite struct `Records that a policy creates anew` {
    @Test(arguments: BrandModel.all, [Policy.objectTrump, .overwrite])
    func `do not depend on what the context holds`(model: BrandModel, policy: Policy) throws {
        // A mandatory inverse refuses a deletion that leaves the sites behind.
        let areGone = model.isCascading || model.isMandatory
        for memory in Memory.allCases {
            let store = try BrandStore(model)
            try store.inContext(policy) { context throws in
                let brand = try context.named("B", "Brand")
                let held = try store.remember(memory, of: brand)
                if areGone, !model.isCascading { try store.delete("Site", "s", "t") }
                try store.delete("Brand", "B")
                try brand.set(["name": "B2"])
                try context.save()
                #expect(!context.hasChanges && !brand.isDeleted, "\(memory)")
                #expect(try brand.names("sites") == (areGone ? [] : ["s", "t"]), "\(memory)")
                withExtendedLifetime(held) {}
            }
            try store.inContext { context throws in
                let brand = try context.named("B2", "Brand")
                #expect(try brand.names("sites") == (areGone ? [] : ["s", "t"]), "\(memory)")
                #expect(try brand.target("owner") == "o")
                let count = try context.count(for: FetchRequest<ManagedObject>(entityName: "Site"))
                #expect(count == (areGone ? 0 : 2))
            }
        }
    }

    @Test(arguments: Memory.allCases, [Policy.objectTrump, .overwrite])
    func `leave members where another save has moved them`(memory: Memory, policy: Policy) throws {
        let store = try BrandStore(BrandModel(isOrdered: true))
        try store.inContext(policy) { context throws in
            let brand = try context.named("B", "Brand")
            let held = try store.remember(memory, of: brand)
            try store.elsewhere { other in
                try other.named("s", "Site").setObject(
                    try other.make("Brand", ["name": "C"]), forKey: "brand")
                other.delete(try other.named("B", "Brand"))
            }
            try brand.set(["name": "B2"])
            try context.save()
            withExtendedLifetime(held) {}
        }
        try store.inContext { context throws in
            #expect(try context.named("B2", "Brand").names("sites") == ["t"])
            #expect(try context.named("C", "Brand").names("sites") == ["s"])
        }
    }

    @Test(arguments: [false, true], [Policy.objectTrump, .overwrite])
    func `do without ends that are gone as well`(isHeld: Bool, policy: Policy) throws {
        let store = try BrandStore(BrandModel())
        try store.inContext(policy) { context throws in
            let brand = try context.named("B", "Brand")
            #expect(try brand.names("labels") == ["l"] && brand.target("owner") == "o")
            let held =
                isHeld
                ? [try context.named("l", "Label"), try context.named("o", "Owner")] : []
            try store.delete("Label", "l")
            try store.delete("Owner", "o")
            try store.delete("Brand", "B")
            try brand.set(["name": "B2"])
            try context.save()
            #expect(try brand.names("labels") == [] && brand.target("owner") == nil)
            withExtendedLifetime(held) {}
        }
        try store.inContext { context throws in
            let brand = try context.named("B2", "Brand")
            #expect(try brand.names("labels") == [] && brand.target("owner") == nil)
            #expect(try brand.names("sites") == ["s", "t"])
        }
    }

    @Test(arguments: [false, true], [Policy.objectTrump, .overwrite])
    func `have no target where it is gone, and say so if it is mandatory`(
        isHeld: Bool, policy: Policy
    ) throws {
        for isMandatory in [false, true] {
            let store = try BrandStore(BrandModel(isMandatory: isMandatory, isCascading: true))
            try store.inContext(policy) { context throws in
                let site = try context.named("s", "Site")
                let held = isHeld ? try site.object(forKey: "brand") : nil
                #expect(isHeld == (try held?.givenName == "B"))
                try store.delete("Brand", "B")
                try site.set(["name": "s2"])
                if isMandatory {
                    let error = #expect(throws: ValidationError.self) { try context.save() }
                    #expect(error?.objectID == site.objectID && error?.property == "brand")
                    #expect(error?.message.contains("\(site.objectID).brand") == true)
                    // Another target is what the message asks for.
                    try site.setObject(try context.make("Brand", ["name": "C"]), forKey: "brand")
                }
                try context.save()
                withExtendedLifetime(held) {}
            }
            try store.inContext { context throws in
                let site = try context.named("s2", "Site")
                #expect(try site.target("brand") == (isMandatory ? "C" : nil))
            }
        }
    }

    @Test(arguments: [false, true])
    func `keep the order of a list whose members come back with it`(isMandatory: Bool) throws {
        let store = try BrandStore(
            BrandModel(isOrdered: true, isMandatory: isMandatory, isCascading: true))
        try store.inContext(.objectTrump) { context throws in
            let brand = try context.named("B", "Brand")
            let sites = try brand.objects(forKey: "sites").objects
            try brand.list(forKey: "sites").move(from: 0, to: 1)
            try store.delete("Brand", "B")
            for site in sites { try site.set(["name": .string(try site.givenName + "2")]) }
            try brand.set(["name": "B2"])
            try context.save()
            #expect(try brand.names("sites") == ["t2", "s2"])
        }
        try store.inContext { context throws in
            #expect(try context.named("B2", "Brand").names("sites") == ["t2", "s2"])
        }
    }

    @Test(arguments: [false, true])
    func `a key is settled by the values that its holder has now, held or not`(
        isHeld: Bool
    ) throws {
        let ledger = try Ledger()
        let id = try ledger.account(["code": "k", "a": 5, "b": 1])
        try ledger.inContext(.mergeByPropertyStoreTrump) { context throws in
            let held = isHeld ? try context.read(id) : nil
            #expect(try isHeld == (held?.values("a") == [5]))
            try ledger.elsewhere { try $0.read(id).set(["a": .null]) }
            _ = try context.make("Account", ["code": "k", "a": 9, "b": 2, "c": 3])
            try context.save()
            withExtendedLifetime(held) {}
        }
        #expect(try ledger.stored(id, "a", "b", "c") == [9, 1, 3])
    }

    @Test(arguments: [false, true])
    func `a key is settled with the members that its holder has now, held or not`(
        isHeld: Bool
    ) throws {
        let ledger = try Ledger()
        let id = try ledger.account(["code": "k"])
        let claimant = try ledger.account(["code": "l"])
        let third = try ledger.account(["code": "m"])
        try ledger.elsewhere { context in
            for name in ["s", "t"] {
                try context.read(id).list(forKey: "steps").append(
                    try context.make("Step", ["name": .string(name)]))
            }
        }
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            let held = isHeld ? try context.read(id) : nil
            #expect(try isHeld == (held?.names("steps") == ["s", "t"]))
            try ledger.elsewhere { other in
                try other.named("s", "Step").setObject(try other.read(third), forKey: "account")
            }
            try context.read(claimant).set(["code": "k"])
            try context.save()
            withExtendedLifetime(held) {}
        }
        try ledger.inContext { context throws in
            #expect(try context.read(claimant).names("steps") == ["t"])
            #expect(try context.read(third).names("steps") == ["s"])
        }
    }
}
