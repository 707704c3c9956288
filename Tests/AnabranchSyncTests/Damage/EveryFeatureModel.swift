import AnabranchModel
import AnabranchReplication

/// A model with every kind of property and rule, in three versions.
///
/// The second version drops two properties of the first one and adds one. The third version adds an
/// entity and properties of the other entities.
enum EveryFeatureModel {
    static func make(_ version: Int) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            configurations: [ModelConfiguration("Local", "Draft", isSynced: false)]
        ) {
            person(version)
            EntityDeclaration("Manager", parent: "Person") {
                AttributeDeclaration("level", .integer32)
            }
            EntityDeclaration("Team") {
                AttributeDeclaration("title", .string, searchable: TextSearch())
                RelationshipDeclaration("members", toMany: "Person", inverse: "teams")
                RelationshipDeclaration(
                    "ranked", toMany: "Person", ordered: true, inverse: "rankings")
            }
            EntityDeclaration("Desk", deletePolicy: .updateWins) {
                AttributeDeclaration("place", .string)
                RelationshipDeclaration("owner", to: "Person", inverse: "desk")
            }
            EntityDeclaration("Task") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("person", to: "Person", inverse: "tasks")
            }
            EntityDeclaration("Draft") {
                AttributeDeclaration("text", .string)
                AttributeDeclaration("size", .integer64)
            }
            if version == 3 {
                EntityDeclaration("Badge") {
                    AttributeDeclaration("title", .string)
                    RelationshipDeclaration("holders", toMany: "Person", inverse: "badges")
                }
            }
        }
    }

    private static func person(_ version: Int) -> EntityDeclaration {
        EntityDeclaration("Person") {
            attributes
            RelationshipDeclaration("boss", to: "Person", acyclic: true, inverse: "reports")
            RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
            RelationshipDeclaration("partner", to: "Person", inverse: "partner")
            RelationshipDeclaration("friends", toMany: "Person", inverse: "friends")
            RelationshipDeclaration("teams", toMany: "Team", inverse: "members")
            RelationshipDeclaration("rankings", toMany: "Team", inverse: "ranked")
            RelationshipDeclaration("desk", to: "Desk", inverse: "owner")
            RelationshipDeclaration(
                "tasks", toMany: "Task", ordered: true, inverse: "person", deleteRule: .cascade)
            UniquenessConstraint("email")
            IndexDeclaration("byAge", on: "age")
            if version == 1 {
                AttributeDeclaration("nickname", .string)
                RelationshipDeclaration("mentor", to: "Person", inverse: "pupils")
                RelationshipDeclaration("pupils", toMany: "Person", inverse: "mentor")
            } else {
                AttributeDeclaration("rank", .integer64, optional: false, default: 7)
            }
            if version == 3 {
                AttributeDeclaration("color", .string)
                RelationshipDeclaration("badges", toMany: "Badge", inverse: "holders")
            }
        }
    }

    @EntityBuilder private static var attributes: [EntityBuilder.Element] {
        AttributeDeclaration("name", .string, searchable: TextSearch())
        AttributeDeclaration("email", .string)
        AttributeDeclaration("age", .integer16)
        AttributeDeclaration("balance", .decimal)
        AttributeDeclaration("score", .double)
        AttributeDeclaration("born", .date)
        AttributeDeclaration("isActive", .boolean)
        AttributeDeclaration("photo", .binary)
        AttributeDeclaration("token", .uuid)
        AttributeDeclaration("site", .uri)
        AttributeDeclaration("notes", .string, mergeRule: .keepBoth)
        AttributeDeclaration("votes", .integer64, mergeRule: .counter)
        AttributeDeclaration("money", .decimal, mergeRule: .counter)
        AttributeDeclaration("best", .integer64, mergeRule: .max)
        AttributeDeclaration("first", .string, mergeRule: .firstWriter)
        AttributeDeclaration("low", .integer64)
        AttributeDeclaration("high", .integer64)
        AttributeGroup("range", "low", "high")
    }
}
