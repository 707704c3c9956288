import AnabranchModel
import AnabranchReplication
import Testing

/// Tests of the order that stages give to the versions of a model.
@Suite struct `A migration plan` {
    /// A version with so many attributes.
    private static func model(_ count: Int) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDeclaration("Person") {
                for place in 0..<count { AttributeDeclaration("a\(place)", .string) }
            }
        ])
    }

    private static func version(_ count: Int) -> ManagedObjectModelReference {
        ManagedObjectModelReference("V\(count)") { try model(count) }
    }

    private static let versions = (1...5).map(version)
    private var v: [ManagedObjectModelReference] { Self.versions }

    private func code(_ stages: [MigrationPlan.Stage]) -> MigrationPlanError.Code? {
        let error = #expect(throws: MigrationPlanError.self) { try MigrationPlan(stages) }
        return error?.code
    }

    private func names(_ steps: some Sequence<MigrationPlan.Step>) -> [String] {
        steps.map { step in
            "\(step.source.name)-\(step.destination.name)\(step.stage.map { ":\($0)" } ?? "")"
        }
    }

    @Test func `joins the stages into one order of versions`() throws {
        let plan = try MigrationPlan([
            .lightweight([v[0], v[1]]), .custom(v[1], v[2]), .lightweight([v[3], v[4]]),
        ])
        #expect(names(plan.steps) == ["V1-V2", "V2-V3:1", "V3-V4", "V4-V5"])
        let adjoining = try MigrationPlan([
            .custom(v[0], v[1]), .lightweight([v[1], v[2], v[3]]), .custom(v[4], Self.version(6)),
        ])
        #expect(
            names(adjoining.steps) == ["V1-V2:0", "V2-V3", "V3-V4", "V4-V5", "V5-V6:2"])
    }

    @Test func `begins with the version of the store`() throws {
        let plan = try MigrationPlan([.lightweight(Array(v[0...3])), .custom(v[3], v[4])])
        let last = try v[4].model()
        for place in 0...4 {
            let steps = try plan.steps(from: try v[place].model(), to: last)
            #expect(names(steps) == Array(names(plan.steps)[place...]))
        }
    }

    @Test func `finds a version by its hashes, not by what does not count in them`() throws {
        let plan = try MigrationPlan([.lightweight([v[0], v[1]])])
        var declaration = try v[0].model().declaration
        declaration.entities[0].attributes[0].defaultValue = .string("x")
        let steps = try plan.steps(
            from: try ManagedObjectModel(declaration), to: try v[1].model())
        #expect(names(steps) == ["V1-V2"])
    }

    @Test func `refuses stages that go backwards`() throws {
        #expect(code([.lightweight([v[1], v[0], v[1]])]) == .backward)
        #expect(code([.lightweight([v[0], v[1]]), .custom(v[1], v[0])]) == .backward)
        #expect(code([.lightweight([v[0], v[1], v[2]]), .custom(v[1], v[3])]) == .backward)
        #expect(code([.custom(v[0], v[0])]) == .backward)
        let error = #expect(throws: MigrationPlanError.self) {
            try MigrationPlan([.lightweight([v[0], v[1]]), .custom(v[1], v[0])])
        }
        #expect(error?.version == "V1")
        #expect(error?.message.contains("from version 'V2' back to 'V1'") == true)
    }

    @Test func `refuses versions that can't be told apart`() throws {
        let twin = ManagedObjectModelReference("V2b", try v[1].model())
        #expect(code([.lightweight([v[0], v[1], twin])]) == .indistinctVersions)
        var declaration = try v[1].model().declaration
        declaration.entities[0].versionHashModifier = "b"
        let other = ManagedObjectModelReference("V2b", try ManagedObjectModel(declaration))
        #expect(try MigrationPlan([.lightweight([v[0], v[1], other])]).steps.count == 2)
    }

    @Test func `names a version that can't be read`() throws {
        struct Missing: Error {}
        let lost = ManagedObjectModelReference("Lost") { throw Missing() }
        let error = #expect(throws: MigrationPlanError.self) {
            try MigrationPlan([.lightweight([v[0], lost])])
        }
        #expect(error?.code == .modelNotFound && error?.version == "Lost")
        #expect(error?.underlying is Missing)
    }

    @Test func `refuses a store with an unlisted version, and a model that is not the last`() throws
    {
        let plan = try MigrationPlan([.lightweight([v[0], v[2]])])
        let unknown = #expect(throws: MigrationPlanError.self) {
            _ = try plan.steps(from: try v[1].model(), to: try v[2].model())
        }
        #expect(unknown?.code == .unknownVersion)
        #expect(unknown?.message.contains("'V1', 'V3'") == true)
        let notLast = #expect(throws: MigrationPlanError.self) {
            _ = try plan.steps(from: try v[0].model(), to: try v[3].model())
        }
        #expect(notLast?.code == .presentVersionNotLast && notLast?.version == "V3")
        let empty = #expect(throws: MigrationPlanError.self) {
            _ = try MigrationPlan([]).steps(from: try v[0].model(), to: try v[1].model())
        }
        #expect(empty?.code == .presentVersionNotLast)
    }

    @Test func `finds the stage that a store waits for, and misses a removed one`() throws {
        let (old, new) = (try v[1].model(), try v[2].model())
        let plan = try MigrationPlan([.lightweight([v[0], v[1]]), .custom(v[1], v[2])])
        #expect(try plan.pendingStep(from: old, to: new, label: "split").stage == 1)
        let without = try MigrationPlan([.lightweight(Array(v[0...2]))])
        let error = #expect(throws: MigrationPlanError.self) {
            _ = try without.pendingStep(from: old, to: new, label: "split")
        }
        #expect(error?.code == .unknownStage && error?.message.contains("'split'") == true)
    }
}
