import AnabranchModel
import AnabranchReplication
import Foundation
import Testing

@Suite struct `An inferred migration` {
    private func model(
        _ change: (inout ModelDeclaration) -> Void = { _ in }
    ) throws -> ManagedObjectModel {
        let plain = try ManagedObjectModel {
            EntityDeclaration("Animal", isAbstract: true) { AttributeDeclaration("name", .string) }
            EntityDeclaration("Dog", parent: "Animal") {
                AttributeDeclaration("age", .integer16)
                RelationshipDeclaration("owner", to: "Person", inverse: "dogs")
            }
            EntityDeclaration("Person") {
                AttributeDeclaration("email", .string)
                RelationshipDeclaration("dogs", toMany: "Dog", inverse: "owner")
            }
        }
        var declaration = plain.declaration
        change(&declaration)
        return try ManagedObjectModel(declaration)
    }

    private func changes(_ change: (inout ModelDeclaration) -> Void) throws -> [String] {
        try InferredMigration(from: model(), to: model(change)).changes.map(\.description)
    }

    private func problems(
        _ change: (inout ModelDeclaration) -> Void
    ) throws -> [MigrationError.Problem] {
        let (old, new) = (try model(), try model(change))
        let error = #expect(throws: MigrationError.self) {
            try InferredMigration(from: old, to: new)
        }
        return error?.problems ?? []
    }

    @Test func `between equal versions changes nothing`() throws {
        #expect(try changes { $0.entities[1].attributes[0].defaultValue = 3 } == [])
    }

    @Test func `names each change, also of inherited properties`() throws {
        #expect(
            try changes { $0.entities[0].attributes.append(AttributeDeclaration("born", .date)) }
                == ["Animal.born added", "Dog.born added"])
        #expect(
            try changes {
                $0.entities[1].attributes[0].name = "years"
                $0.entities[1].attributes[0].wireName = nil
                $0.entities[1].attributes[0].renamingIdentifier = "age"
            } == ["Dog.age renamed to years"])
        #expect(
            try changes {
                $0.entities[2].attributes[0].isOptional = false
                $0.entities[2].attributes[0].defaultValue = ""
                $0.entities[2].uniquenessConstraints = [UniquenessConstraint("email")]
            } == ["Person.email made mandatory", "Person made unique by email"])
        #expect(
            try changes { $0.entities.append(EntityDeclaration("Cat", parent: "Animal")) }
                == ["entity Cat added"])
        #expect(
            try changes {
                $0.entities[0].isAbstract = false
                $0.entities[1].attributes[0].isTransient = true
                $0.entities[2].relationships[0].minCount = 1
            } == ["entity Animal changed", "Dog.age changed", "Person.dogs changed"])
    }

    @Test func `widens the type of an attribute, also in a uniqueness constraint`() throws {
        let types: [AttributeType] = [.integer32, .integer64, .double, .decimal, .string]
        for type in types {
            #expect(
                try changes { $0.entities[1].attributes[0].type = type }
                    == ["Dog.age widened from integer16 to \(type)"])
        }
        for type in [.float, .boolean, .date, .binary] as [AttributeType] {
            #expect(try problems { $0.entities[1].attributes[0].type = type }.count == 1)
        }
        let unique = try model {
            $0.entities[1].uniquenessConstraints = [UniquenessConstraint("age")]
        }
        var wider = unique.declaration
        wider.entities[1].attributes[0].type = .string
        let migration = try InferredMigration(from: unique, to: ManagedObjectModel(wider))
        #expect(migration.newConstraints.isEmpty && migration.changes.count == 1)
    }

    @Test func `changes the merge rule of an attribute, except to and from a counter`() throws {
        func model(_ type: AttributeType, _ rule: MergeRule) throws -> ManagedObjectModel {
            try self.model {
                $0.entities[1].attributes[0].type = type
                $0.entities[1].attributes[0].mergeRule = rule
            }
        }
        let rules: [MergeRule] = [.lastWriter, .firstWriter, .max, .min, .keepBoth]
        for former in rules {
            for rule in rules where rule != former {
                let migration = try InferredMigration(
                    from: model(.integer64, former), to: model(.integer64, rule))
                #expect(
                    migration.changes.map(\.description)
                        == ["Dog.age merges by \(rule) instead of \(former)"])
            }
        }
        #expect(
            try InferredMigration(from: model(.integer16, .max), to: model(.string, .keepBoth))
                .changes.count == 2)
        for (former, rule) in [(MergeRule.lastWriter, MergeRule.counter), (.counter, .max)] {
            let error = #expect(throws: MigrationError.self) {
                try InferredMigration(
                    from: model(.integer64, former), to: model(.integer64, rule))
            }
            #expect(error?.problems.first?.message.contains("\(former) to \(rule)") == true)
        }
    }

    @Test func `keeps the types of attributes in groups`() throws {
        func model(_ type: AttributeType) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                EntityDeclaration("Meeting") {
                    AttributeDeclaration("start", type)
                    AttributeDeclaration("end", .date)
                    AttributeGroup("time", "start", "end")
                }
            }
        }
        let error = #expect(throws: MigrationError.self) {
            try InferredMigration(from: model(.date), to: model(.string))
        }
        #expect(error?.problems.first?.message.contains("in an attribute group") == true)
    }

    @Test func `follows a property that moves in its hierarchy`() throws {
        #expect(
            try changes {
                $0.entities[0].attributes.append($0.entities[1].attributes.removeLast())
            } == ["Animal.age added"])
        #expect(
            try changes {
                $0.entities[1].attributes.append($0.entities[0].attributes.removeLast())
            } == ["Animal.name removed"])
        #expect(
            try changes {
                $0.entities[1].parent = nil
            } == ["entity Dog moved from Animal to no super-entity", "Dog.name removed"])
    }

    /// A version that renames again says by the wire name what it renames, so that a store may skip
    /// the version between.
    @Test func `follows what was renamed twice from each of the versions before`() throws {
        func renamed(_ suffix: String, again: Bool) throws -> ManagedObjectModel {
            try model { declaration in
                declaration.entities[2].name = "Human" + suffix
                declaration.entities[2].wireName = again ? "Person" : nil
                declaration.entities[2].renamingIdentifier = again ? "Human" : "Person"
                declaration.entities[2].attributes[0].name = "address" + suffix
                declaration.entities[2].attributes[0].wireName = again ? "email" : nil
                declaration.entities[2].attributes[0].renamingIdentifier =
                    again ? "address" : "email"
                declaration.entities[1].relationships[0].destination = "Human" + suffix
                declaration.entities[1].relationships[0].name = "keeper" + suffix
                declaration.entities[1].relationships[0].wireName = again ? "owner" : nil
                declaration.entities[1].relationships[0].renamingIdentifier =
                    again ? "keeper" : "owner"
                declaration.entities[2].relationships[0].inverse = "keeper" + suffix
            }
        }
        let versions = [
            try model(), try renamed("", again: false), try renamed("2", again: true),
        ]
        func changes(_ source: Int, _ destination: Int) throws -> [String] {
            try InferredMigration(from: versions[source], to: versions[destination]).changes
                .map(\.description)
        }
        #expect(
            try changes(0, 2) == [
                "Dog.owner renamed to keeper2", "entity Person renamed to Human2",
                "Human2.email renamed to address2",
            ])
        #expect(
            try changes(1, 2) == [
                "Dog.keeper renamed to keeper2", "entity Human renamed to Human2",
                "Human2.address renamed to address2",
            ])
        #expect(
            try changes(2, 0) == [
                "Dog.keeper2 renamed to owner", "entity Human2 renamed to Person",
                "Person.address2 renamed to email",
            ])
    }

    @Test func `keeps apart what was renamed and what took its former name`() throws {
        func version(_ change: (inout ModelDeclaration) -> Void = { _ in }) throws
            -> ManagedObjectModel
        {
            try model { declaration in
                declaration.entities[2].attributes[0].name = "address"
                declaration.entities[2].attributes[0].wireName = nil
                declaration.entities[2].attributes[0].renamingIdentifier = "email"
                declaration.entities[2].attributes.append(
                    AttributeDeclaration("email", .string, wireName: "email 2"))
                change(&declaration)
            }
        }
        #expect(
            try InferredMigration(from: model(), to: version()).changes.map(\.description)
                == ["Person.email renamed to address", "Person.email added"])
        let next = try version { $0.entities[2].attributes[0].isOptional = true }
        #expect(try InferredMigration(from: version(), to: next).changes.isEmpty)
    }

    @Test func `is refused with place, reason and advice`() throws {
        let type = try problems { $0.entities[1].attributes[0].type = .boolean }
        #expect(type.map(\.entity) == ["Dog"] && type.first?.property == "age")
        #expect(
            type.first?.message
                == "Can't migrate Dog.age because its type changes from integer16 to boolean, "
                + "which can't show every value. Add an attribute of another name instead, and "
                + "copy the values.")
        let lost = try problems { declaration in
            declaration.entities[2].name = "Human"
            declaration.entities[2].wireName = nil
            declaration.entities[2].renamingIdentifier = "Persona"
            declaration.entities[1].relationships[0].destination = "Human"
        }
        #expect(lost.map(\.property) == ["owner"])
    }

    @Test func `lets a to-one become to-many, and not the other way round`() throws {
        let many = try model {
            $0.entities[1].relationships[0].isToMany = true
            $0.entities[1].relationships[0].maxCount = nil
        }
        let migration = try InferredMigration(from: model(), to: many)
        #expect(migration.changes.map(\.description) == ["Dog.owner made to-many"])
        let error = #expect(throws: MigrationError.self) {
            try InferredMigration(from: many, to: model())
        }
        let problems = error?.problems ?? []
        #expect(problems.map(\.entity) == ["Dog", "Person"])
        #expect(problems.allSatisfy { $0.message.contains("stored in another place") })
    }

    /// The inverse stores the references in both versions, so nothing moves.
    @Test func `does not let a to-many with a to-one inverse become to-one`() throws {
        func staff(isToMany: Bool) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                EntityDeclaration("Person") {
                    RelationshipDeclaration("boss", to: "Person", inverse: "staff")
                    isToMany
                        ? RelationshipDeclaration("staff", toMany: "Person", inverse: "boss")
                        : RelationshipDeclaration("staff", to: "Person", inverse: "boss")
                }
            }
        }
        let (many, one) = (try staff(isToMany: true), try staff(isToMany: false))
        let error = #expect(throws: MigrationError.self) {
            try InferredMigration(from: many, to: one)
        }
        let problems = error?.problems ?? []
        #expect(problems.map(\.entity) == ["Person"])
        #expect(problems.map(\.property) == ["staff"])
        #expect(
            problems.first?.message.contains("a to-one shows only one of its objects") == true)
        let back = try InferredMigration(from: one, to: many)
        #expect(back.changes.map(\.description) == ["Person.staff made to-many"])
    }

    /// Two entities with one relationship between them.
    private func pair(
        isToMany: Bool, inverse: Bool, to destination: String = "Alpha"
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Alpha") {
                if inverse {
                    isToMany
                        ? RelationshipDeclaration("betas", toMany: "Beta", inverse: "alphas")
                        : RelationshipDeclaration("betas", to: "Beta", inverse: "alphas")
                }
            }
            EntityDeclaration("Beta") {
                isToMany
                    ? RelationshipDeclaration(
                        "alphas", toMany: destination, inverse: inverse ? "betas" : nil)
                    : RelationshipDeclaration(
                        "alphas", to: destination, inverse: inverse ? "betas" : nil)
            }
            EntityDeclaration("Gamma")
        }
    }

    @Test(arguments: [true, false])
    func `is refused if the side that stored a relationship goes away`(isToMany: Bool) throws {
        let (old, new) = (
            try pair(isToMany: isToMany, inverse: true),
            try pair(isToMany: isToMany, inverse: false)
        )
        let error = #expect(throws: MigrationError.self) {
            try InferredMigration(from: old, to: new)
        }
        let problem = try #require(error?.problems.first)
        #expect(error?.problems.count == 1)
        #expect(problem.entity == "Beta" && problem.property == "alphas")
        #expect(problem.message.contains("stored in another place"), "\(problem.message)")
    }

    @Test func `names the destination if that changes, whatever else does`() throws {
        let old = try pair(isToMany: false, inverse: false)
        let new = try pair(isToMany: true, inverse: false, to: "Gamma")
        let error = #expect(throws: MigrationError.self) {
            try InferredMigration(from: old, to: new)
        }
        #expect(
            error?.problems.map(\.message) == [
                "Can't migrate Beta.alphas because its destination changes from Alpha to Gamma. "
                    + "Add a relationship of another name instead."
            ])
    }

    @Test func `needs a default for a mandatory attribute that becomes stored`() throws {
        func age(isTransient: Bool) throws -> ManagedObjectModel {
            try model {
                $0.entities[1].attributes[0].isOptional = false
                $0.entities[1].attributes[0].isTransient = isTransient
            }
        }
        let error = #expect(throws: MigrationError.self) {
            try InferredMigration(from: age(isTransient: true), to: age(isTransient: false))
        }
        #expect(error?.problems.map(\.property) == ["age"])
        _ = try InferredMigration(from: age(isTransient: false), to: age(isTransient: true))
    }

    @Test func `lets a relationship become transient, or stored`() throws {
        let transient = try model {
            $0.entities[1].relationships[0].isTransient = true
            $0.entities[2].relationships[0].isTransient = true
            $0.entities[1].relationships[0].destination = "Person"
        }
        let plain = try model()
        #expect(!transient.hasVersion(of: plain))
        for (old, new) in [(plain, transient), (transient, plain)] {
            let migration = try InferredMigration(from: old, to: new)
            #expect(
                migration.changes.map(\.description)
                    == ["Dog.owner changed", "Person.dogs changed"])
        }
    }

    @Test func `lets a to-one become its own inverse, and cease to be it`() throws {
        let own = try ManagedObjectModel {
            EntityDeclaration("Person") {
                RelationshipDeclaration("spouse", to: "Person", inverse: "spouse")
            }
        }
        let plain = try ManagedObjectModel {
            EntityDeclaration("Person") { RelationshipDeclaration("spouse", to: "Person") }
        }
        #expect(!own.hasVersion(of: plain))
        for (old, new) in [(plain, own), (own, plain)] {
            #expect(try InferredMigration(from: old, to: new).changes.isEmpty)
        }
    }

    @Test func `is refused between models without a common entity`() throws {
        let other = try ManagedObjectModel { EntityDeclaration("Planet") }
        let error = #expect(throws: MigrationError.self) {
            try InferredMigration(from: model(), to: other)
        }
        #expect(error?.problems.map(\.entity) == ["Planet"])
    }

    /// Each step from one version of a package to the next is inferred or refused with a place.
    @Test(.enabled(if: ModelFixtures.folder != nil, "there are no fixtures here"))
    func `takes most public models from each version to the next`() throws {
        var outcomes = (inferred: 0, refused: 0)
        for package in ModelFixtures.packages() {
            let versions = ModelFixtures.versions()
                .filter { $0.deletingLastPathComponent().path == package.path }
                .sorted {
                    // With their extensions, "Moody 2" would come before "Moody".
                    let names = [$0, $1].map { $0.deletingPathExtension().lastPathComponent }
                    return names[0].localizedStandardCompare(names[1]) == .orderedAscending
                }
                .compactMap { try? ManagedObjectModel.reading($0) }
            for (old, new) in zip(versions, versions.dropFirst()) {
                do throws(MigrationError) {
                    _ = try InferredMigration(from: old, to: new)
                    outcomes.inferred += 1
                } catch {
                    outcomes.refused += 1
                    for problem in error.problems {
                        #expect(new.entity(named: problem.entity) != nil)
                        #expect(problem.message.hasSuffix("."))
                    }
                }
            }
        }
        #expect(outcomes == (53, 6))
    }
}
