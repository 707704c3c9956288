import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests that migrate stores with records from each version of the public models to the next, and
/// from the first version to the last.
@Suite(.needsFixtures) struct PublicModelMigrationTests {
    @Test func `the versions are in their natural order, and the reader takes most of them`() throws
    {
        let models = PublicModel.all
        #expect(models.count == 13)
        #expect(models.map(\.versions.count).reduce(0, +) == 70)
        #expect(models.map(\.refusedVersionCount).reduce(0, +) == 5)
        func names(_ model: String) throws -> [String] {
            try #require(models.first { $0.name == model }).versions.map(\.name)
        }
        #expect(
            try names("objcio-core-data/Moody") == [
                "Moody", "Moody 2", "Moody 3", "Moody 4", "Moody 5", "Moody 6",
            ])
        #expect(
            try names("artsy-energy/ArtsyPartner") == [
                "ArtsyFolio v1.4", "ArtsyFolio v1.5", "ArtsyFolio v1.7", "ArtsyFolio v2.0",
                "ArtsyFolio v2.1", "ArtsyFolio v2.2", "ArtsyFolio v2.3", "ArtsyFolio v2.4",
                "ArtsyFolio v2.5", "ArtsyFolio v2.5.1", "ArtsyFolio v2.5.3", "ArtsyFolio v2.6.0",
                "ArtsyFolio v2.6.1", "ArtsyFolio v2.7.0", "ArtsyPartner", "ArtsyPartner 2",
                "ArtsyPartner 3", "ArtsyPartner 4", "ArtsyPartner 5",
            ])
    }

    // MARK: - Refused steps

    /// A problem that a refusal names.
    private struct Problem {
        let entity: String
        let property: String?
        /// A part of the message.
        let reason: String

        init(_ entity: String, _ property: String?, _ reason: String) {
            self.entity = entity
            self.property = property
            self.reason = reason
        }
    }

    private static let otherPlace = "because its values would be stored in another place"
    private static let otherDestination = "because its destination changes from Artwork to Image"

    private static let refusals: [String: [Problem]] = [
        "alemar11-CoreDataPlus/CoreDataMigration_Example: CoreDataMigration_Example 2 to "
            + "CoreDataMigration_Example 3": [
                Problem("Post", "hexColor", "values would be lost: its wire name was color")
            ],
        "artsy-energy/ArtsyPartner: ArtsyFolio v1.5 to ArtsyFolio v1.7": [
            Problem("Album", "cover", otherDestination),
            Problem("Album", "documents", otherPlace),
            Problem("Artist", "cover", otherDestination),
            Problem("Show", "cover", otherDestination),
        ],
        "artsy-energy/ArtsyPartner: ArtsyFolio v2.1 to ArtsyFolio v2.2": [
            Problem(
                "Artwork", "locations", "because its destination changes from Artwork to Location")
        ],
        "artsy-energy/ArtsyPartner: ArtsyFolio v2.5 to ArtsyFolio v2.5.1": [
            Problem("Artist", "artworks", otherPlace)
        ],
        // The names of the first versions come last.
        "artsy-energy/ArtsyPartner: ArtsyFolio v2.7.0 to ArtsyPartner": [
            Problem("Artist", "artworks", otherPlace),
            Problem("Image", "baseURL", "mandatory because records may have no value of it"),
        ],
        "drewmccormack-ensembles/Model: Model to Model_0": [
            Problem("IDMNote", nil, "no entity in common: the older one has NumberHolder")
        ],
    ]

    @Test func `all steps are inferred except for six`() {
        let steps = PublicModel.allSteps
        #expect(steps.count == 59)
        let refused = steps.filter { !$0.isInferred }.map(\.testDescription)
        #expect(refused == Self.refusals.keys.sorted())
    }

    @Test(arguments: PublicModel.allSteps.filter { !$0.isInferred })
    func `a refusal names places and reasons, and leaves the file as it was`(
        step: PublicModel.Step
    ) throws {
        let expected = try #require(Self.refusals[step.testDescription])
        let refusal = #expect(throws: MigrationError.self) {
            try InferredMigration(from: step.old.model, to: step.new.model)
        }
        let problems = try #require(refusal?.problems)
        #expect(problems.map(\.entity) == expected.map(\.entity))
        #expect(problems.map(\.property) == expected.map(\.property))
        for (problem, expected) in zip(problems, expected) {
            #expect(problem.message.contains(expected.reason), "\(problem.message)")
        }

        let scenario = try StoreScenario(model: step.old.model)
        let store = try scenario.open("a")
        try store.fill()
        let shown = try ShownState(store)
        store.close()
        let bytes = scenario.bytes("a")
        let error = storeError { _ = try scenario.open("a", model: step.new.model) }
        #expect(error?.code == .migrationNotInferred)
        #expect(error?.entity == expected.first?.entity)
        #expect(error?.property == expected.first?.property)
        for problem in problems {
            #expect(error?.message.contains(problem.message) == true)
        }
        #expect(scenario.bytes("a") == bytes)
        let isSame = try ShownState(scenario.open("a")) == shown
        #expect(isSame)
    }

    // MARK: - Inferred steps

    /// The relationships that lose members because their destination becomes narrower.
    private static let narrowed: [String: Set<String>] = [
        "artsy-energy/ArtsyPartner: ArtsyFolio v2.0 to ArtsyFolio v2.1": [
            "Show.installationImages"
        ]
    ]

    @Test(.long, arguments: PublicModel.allSteps.filter(\.isInferred))
    func `a step keeps all values, references, lists and links`(step: PublicModel.Step) throws {
        let scenario = try StoreScenario(model: step.old.model)
        let store = try scenario.open("a")
        try store.fill()
        let (before, hash) = (try ShownRecords(store), try store.canonicalHash())
        #expect(before.rows.count >= 3)
        #expect(before.gaps == [])
        #expect(before.differingInverses == [])
        try scenario.zone.push(from: store)
        store.close()

        let migrated = try scenario.open("a", model: step.new.model)
        let after = try ShownRecords(migrated)
        let comparison = ShownComparison(from: before, to: after)
        #expect(comparison.differences == [])
        #expect(comparison.narrowed == Self.narrowed[step.testDescription] ?? [])
        #expect(after.differingInverses == [])
        #expect(try migrated.canonicalHash() == hash)
        try expectNewStore(in: scenario, showsSameAs: migrated)
    }

    /// A store goes as far as the steps are inferred, and a new store begins after a refused step.
    /// Further records are inserted before each step that removes something, and at the end.
    @Test(.long, arguments: PublicModel.all.filter { !$0.steps.isEmpty })
    func `a store goes through all versions`(model: PublicModel) throws {
        for steps in model.steps.split(whereSeparator: { !$0.isInferred }) {
            let first = try #require(steps.first)
            let scenario = try StoreScenario(model: first.old.model)
            var store = try scenario.open("a")
            try store.fill()
            for (place, step) in steps.enumerated() {
                if place > 0, step.removesSomething { try store.fill(least: 1) }
                try scenario.zone.push(from: store)
                let hash = try store.canonicalHash()
                store.close()
                store = try scenario.open("a", model: step.new.model)
                #expect(try store.canonicalHash() == hash, "\(step.testDescription)")
            }
            try store.fill(least: 1)
            try scenario.zone.push(from: store)
            try expectNewStore(in: scenario, showsSameAs: store)
        }
    }

    /// Checks a migrated store against a new store of its version that has pulled the same zone.
    private func expectNewStore(
        in scenario: StoreScenario, showsSameAs store: Store
    ) throws {
        let new = try scenario.open("new", model: store.model)
        try scenario.zone.pull(into: new)
        #expect(try new.canonicalHash() == store.canonicalHash())
        let comparison = ShownComparison(
            from: try ShownRecords(new), to: try ShownRecords(store))
        #expect(comparison.differences == [])
        let isSame = try ShownState(new) == ShownState(store)
        #expect(isSame)
        #expect(try store.check().isValid)
        new.close()
    }
}
