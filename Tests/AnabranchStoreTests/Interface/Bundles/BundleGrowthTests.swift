import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// The work of importing a bundle grows with the bundle, and not faster.
struct BundleGrowthTests {
    private static let imports: [GrowingWork] = [
        importing("change sets", from: 100) { size in
            var author = RemoteAuthor(1)
            let (insert, records) = author.insertPeople(1)
            return [insert] + author.saves(size) { .name(records[0], "\($0)") }
        },
        importing("change sets before their causes", from: 100) { size in
            var author = RemoteAuthor(1)
            let (insert, records) = author.insertPeople(1)
            let saves = author.saves(size) { .name(records[0], "\($0)") }
            return ([insert] + saves).reversed()
        },
        importing("change sets that wait for a missing one", from: 100) { size in
            var author = RemoteAuthor(1)
            let (_, records) = author.insertPeople(1)
            return author.saves(size) { .name(records[0], "\($0)") }
        },
        importing("replicas", from: 100) { size in
            (0..<size).map { number in
                var author = RemoteAuthor(UInt64(number + 1))
                return author.insertPeople(1).0
            }
        },
        importing("replicas in the causal context", from: 100) { size in
            let others = (0..<size).map { number in
                var other = RemoteAuthor(UInt64(number + 2))
                return other.insertPeople(1).0
            }
            var author = RemoteAuthor(1)
            author.context = CausalContext(
                beyond: others.map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) })
            return others + [author.insertPeople(1).0]
        },
        importing("records with columns of nulls", from: 100) { nulls($0, columns: 20) },
        importing("columns of nulls", from: 50) { nulls(20, columns: $0) },
        GrowingWork("parts of a save", from: 50) { size in
            let scenario = try StoreScenario()
            let author = try scenario.open("author", partBytes: 256)
            try author.insertPeople(8 * size)
            return try importing(scenario.bundle(author, as: "a.bundle"), of: 1, in: scenario)
        },
    ]

    @Test(arguments: imports)
    private func `the work of an import is at most proportional`(work: GrowingWork) throws {
        try work.expectProportional()
    }

    private static func importing(
        _ description: String, from size: Int, _ sets: @escaping @Sendable (Int) -> [ChangeSet]
    ) -> GrowingWork {
        GrowingWork(description, from: size) { size in
            let scenario = try StoreScenario()
            let sets = sets(size)
            let bundle = try scenario.bundle(of: sets, as: "a.bundle")
            return try importing(bundle, of: sets.count, in: scenario)
        }
    }

    private static func importing(
        _ bundle: String, of count: Int, in scenario: StoreScenario
    ) throws -> () throws -> Void {
        let store = try scenario.open("store")
        return {
            // The files stay until the work is done.
            defer { withExtendedLifetime(scenario) {} }
            let outcome = try store.take(bundle)
            #expect(outcome.appliedCount + outcome.waitingCount == count)
            store.close()
        }
    }

    /// A save of records with nulls in columns that no model has, which take few bytes.
    private static func nulls(_ count: Int, columns: Int) -> [ChangeSet] {
        var author = RemoteAuthor(1)
        let replica = author.replica
        let properties = (0..<columns).map { WireProperty(name: WireName("p\($0)"), type: .string) }
        let column = ValueColumn(repeatElement(.null, count: count))
        return [
            author.save([
                .insert(
                    RowBlock(
                        entity: "Person",
                        records: (0..<count).map {
                            RecordID(replica: replica, number: UInt64($0 + 1))
                        },
                        properties: properties, columns: properties.map { _ in column }))
            ])
        ]
    }
}
