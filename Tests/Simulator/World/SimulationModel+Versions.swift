import AnabranchModel
import AnabranchReplication

/// Three versions of one app, with every kind of change that a migration infers.
///
/// A change that is new in one version is undone or changed again in a later one, so that each
/// kind is migrated in both directions. Two changes of the second version can't be undone: a wider
/// type, and a to-one that became to-many. So no file goes back to the first. The wire names of
/// entities and properties stay. A further kind of change gets a property of its own here, and
/// ``RandomSave`` writes it.
extension SimulationModel {
    /// The first version: everything of `plain`, a colour and a stack of boxes, a weight, a size
    /// and a spare box of items, and drafts.
    static func firstVersion() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Box") {
                AttributeDeclaration("title", .string)
                AttributeDeclaration("color", .string)
                RelationshipDeclaration("items", toMany: "Item", inverse: "box")
                RelationshipDeclaration("stack", toMany: "Item", inverse: "stackedIn")
            }
            EntityDeclaration("Item") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("count", .integer64)
                AttributeDeclaration("weight", .integer64)
                AttributeDeclaration("size", .integer16)
                RelationshipDeclaration("box", to: "Box", inverse: "items")
                RelationshipDeclaration("stackedIn", to: "Box", inverse: "stack")
                RelationshipDeclaration("spare", to: "Box")
                RelationshipDeclaration("labels", toMany: "Label", inverse: "items")
                RelationshipDeclaration("drafts", toMany: "Draft", inverse: "subject")
            }
            label(RelationshipDeclaration("drafts", toMany: "Draft", inverse: "tags"))
            half
            EntityDeclaration("Draft") {
                AttributeDeclaration("text", .string)
                RelationshipDeclaration("subject", to: "Item", inverse: "drafts")
                RelationshipDeclaration("tags", toMany: "Label", inverse: "drafts")
            }
        }
    }

    /// The second version.
    ///
    /// It renames an entity, an attribute and a relationship. It moves items into a hierarchy and
    /// pulls their name up. It makes the weight mandatory and adds a mandatory rank. It adds
    /// attributes under every merge rule, a member of the group, relationships, a sub-entity and an
    /// entity. It widens the size, orders the stack, and lets an item have several spare boxes. It
    /// removes an attribute, an entity and the relationships to it.
    static func secondVersion() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Crate", renamingIdentifier: "Box") {
                AttributeDeclaration("caption", .string, renamingIdentifier: "title")
                RelationshipDeclaration("items", toMany: "Item", inverse: "crate")
                RelationshipDeclaration("queue", toMany: "Item", ordered: true, inverse: "queues")
                RelationshipDeclaration(
                    "shelf", toMany: "Item", ordered: true, inverse: "shelvedIn")
                RelationshipDeclaration(
                    "stack", toMany: "Item", ordered: true, inverse: "stackedIn")
            }
            EntityDeclaration("Thing", isAbstract: true) { AttributeDeclaration("name", .string) }
            EntityDeclaration("Item", parent: "Thing") {
                AttributeDeclaration("count", .integer64)
                AttributeDeclaration("weight", .integer64, optional: false, default: 1)
                AttributeDeclaration("rank", .integer64, optional: false, default: 7)
                AttributeDeclaration("size", .integer64)
                AttributeDeclaration("votes", .integer64, mergeRule: .counter)
                AttributeDeclaration("best", .integer64, mergeRule: .max)
                AttributeDeclaration("least", .integer64, mergeRule: .min)
                AttributeDeclaration("born", .integer64, mergeRule: .firstWriter)
                AttributeDeclaration("memo", .string, mergeRule: .keepBoth)
                RelationshipDeclaration(
                    "crate", to: "Crate", inverse: "items", renamingIdentifier: "box")
                RelationshipDeclaration("stackedIn", to: "Crate", inverse: "stack")
                RelationshipDeclaration("spare", toMany: "Crate")
                RelationshipDeclaration("labels", toMany: "Label", inverse: "items")
                RelationshipDeclaration("queues", toMany: "Crate", inverse: "queue")
                RelationshipDeclaration("shelvedIn", to: "Crate", inverse: "shelf")
                RelationshipDeclaration("notes", toMany: "Note", inverse: "item")
            }
            EntityDeclaration("Gadget", parent: "Item") {
                AttributeDeclaration("power", .integer64)
                RelationshipDeclaration("charger", to: "Gadget", inverse: "charges")
                RelationshipDeclaration("charges", toMany: "Gadget", inverse: "charger")
            }
            label(hasUnit: true)
            half
            EntityDeclaration("Note", deletePolicy: .updateWins) {
                AttributeDeclaration("text", .string)
                AttributeDeclaration("hits", .integer64, mergeRule: .counter)
                RelationshipDeclaration("item", to: "Item", inverse: "notes")
            }
        }
    }

    /// The third version.
    ///
    /// It renames again what the second one has renamed. It moves items out of their hierarchy and
    /// pushes their name down. It moves notes, with drafts, into one, and pulls their text up. It
    /// makes the weight optional and changes its default. It no longer orders the stack, and makes
    /// labels unique by their text. It adds again what the second version has removed, partly under
    /// other names, and removes an attribute and a sub-entity.
    static func thirdVersion() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Case", wireName: "Box", renamingIdentifier: "Crate") {
                AttributeDeclaration(
                    "heading", .string, wireName: "title", renamingIdentifier: "caption")
                AttributeDeclaration("color", .string, default: "plain")
                RelationshipDeclaration("items", toMany: "Item", inverse: "container")
                RelationshipDeclaration("queue", toMany: "Item", ordered: true, inverse: "queues")
                RelationshipDeclaration(
                    "shelf", toMany: "Item", ordered: true, inverse: "shelvedIn")
                RelationshipDeclaration("stack", toMany: "Item", inverse: "stackedIn")
            }
            EntityDeclaration("Item") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("count", .integer64)
                AttributeDeclaration("weight", .integer64, default: 2)
                AttributeDeclaration("size", .integer64)
                AttributeDeclaration("rank", .integer64, optional: false, default: 7)
                AttributeDeclaration("votes", .integer64, mergeRule: .counter)
                AttributeDeclaration("best", .integer64, mergeRule: .max)
                AttributeDeclaration("born", .integer64, mergeRule: .firstWriter)
                AttributeDeclaration("memo", .string, mergeRule: .keepBoth)
                RelationshipDeclaration(
                    "container", to: "Case", inverse: "items", wireName: "box",
                    renamingIdentifier: "crate")
                RelationshipDeclaration("stackedIn", to: "Case", inverse: "stack")
                RelationshipDeclaration("spare", toMany: "Case")
                RelationshipDeclaration("labels", toMany: "Label", inverse: "items")
                RelationshipDeclaration("queues", toMany: "Case", inverse: "queue")
                RelationshipDeclaration("shelvedIn", to: "Case", inverse: "shelf")
                RelationshipDeclaration("notes", toMany: "Note", inverse: "item")
                RelationshipDeclaration(
                    "sketches", toMany: "Sketch", inverse: "subject", wireName: "drafts")
            }
            label(
                hasUnit: true, isUnique: true,
                RelationshipDeclaration("drafts", toMany: "Sketch", inverse: "tags"))
            half
            EntityDeclaration("Remark", isAbstract: true) { AttributeDeclaration("text", .string) }
            EntityDeclaration("Note", parent: "Remark", deletePolicy: .updateWins) {
                AttributeDeclaration("hits", .integer64, mergeRule: .counter)
                RelationshipDeclaration("item", to: "Item", inverse: "notes")
            }
            EntityDeclaration("Sketch", parent: "Remark", renamingIdentifier: "Draft") {
                RelationshipDeclaration("subject", to: "Item", inverse: "sketches")
                RelationshipDeclaration("tags", toMany: "Label", inverse: "drafts")
            }
        }
    }
}
