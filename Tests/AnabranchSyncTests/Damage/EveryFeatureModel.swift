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
            Entity("Manager", parent: "Person") { Attribute("level", .integer32) }
            Entity("Team") {
                Attribute("title", .string, searchable: TextSearch())
                Relationship("members", toMany: "Person", inverse: "teams")
                Relationship("ranked", toMany: "Person", ordered: true, inverse: "rankings")
            }
            Entity("Desk", deletePolicy: .updateWins) {
                Attribute("place", .string)
                Relationship("owner", to: "Person", inverse: "desk")
            }
            Entity("Task") {
                Attribute("title", .string)
                Relationship("person", to: "Person", inverse: "tasks")
            }
            Entity("Draft") {
                Attribute("text", .string)
                Attribute("size", .integer64)
            }
            if version == 3 {
                Entity("Badge") {
                    Attribute("title", .string)
                    Relationship("holders", toMany: "Person", inverse: "badges")
                }
            }
        }
    }

    private static func person(_ version: Int) -> Entity {
        Entity("Person") {
            attributes
            Relationship("boss", to: "Person", acyclic: true, inverse: "reports")
            Relationship("reports", toMany: "Person", inverse: "boss")
            Relationship("partner", to: "Person", inverse: "partner")
            Relationship("friends", toMany: "Person", inverse: "friends")
            Relationship("teams", toMany: "Team", inverse: "members")
            Relationship("rankings", toMany: "Team", inverse: "ranked")
            Relationship("desk", to: "Desk", inverse: "owner")
            Relationship(
                "tasks", toMany: "Task", ordered: true, inverse: "person", deleteRule: .cascade)
            UniquenessConstraint("email")
            IndexDeclaration("byAge", on: "age")
            if version == 1 {
                Attribute("nickname", .string)
                Relationship("mentor", to: "Person", inverse: "pupils")
                Relationship("pupils", toMany: "Person", inverse: "mentor")
            } else {
                Attribute("rank", .integer64, optional: false, default: 7)
            }
            if version == 3 {
                Attribute("color", .string)
                Relationship("badges", toMany: "Badge", inverse: "holders")
            }
        }
    }

    @EntityBuilder private static var attributes: [EntityElement] {
        Attribute("name", .string, searchable: TextSearch())
        Attribute("email", .string)
        Attribute("age", .integer16)
        Attribute("balance", .decimal)
        Attribute("score", .double)
        Attribute("born", .date)
        Attribute("isActive", .boolean)
        Attribute("photo", .binary)
        Attribute("token", .uuid)
        Attribute("site", .uri)
        Attribute("notes", .string, mergeRule: .keepBoth)
        Attribute("votes", .integer64, mergeRule: .counter)
        Attribute("money", .decimal, mergeRule: .counter)
        Attribute("best", .integer64, mergeRule: .max)
        Attribute("first", .string, mergeRule: .firstWriter)
        Attribute("low", .integer64)
        Attribute("high", .integer64)
        AttributeGroup("range", "low", "high")
    }
}
