import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchStore

/// The estimated number of rows of a large table, against the true one.
@Suite struct `An estimated count` {
    private let scenario: StoreScenario
    private let store: Store

    init() throws {
        scenario = try StoreScenario()
        store = try scenario.open("a")
    }

    /// Inserts rows of several replicas; of each number, one of some is left out.
    private func fill(_ counts: [Int], oneOf: Int) throws {
        for (ordinal, count) in counts.enumerated() {
            let first = LocalID(ordinal: Int64(ordinal), number: 1)
            try store.withWriter {
                try $0.run(
                    """
                    INSERT INTO Person (ab_pk, ab_version)
                    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    SELECT ? + i, 1 FROM n WHERE abs(i * 2654435761 / 65536 % ?) = 0
                    """, .integer(Int64(count * oneOf - 1)), .integer(first),
                    .integer(Int64(oneOf)))
            }
        }
    }

    private func estimate(ifMoreThan limit: Int = 1000) throws -> Int? {
        try store.read { try $0.estimatedCount(of: scenario.person, ifMoreThan: limit) }
    }

    private func count() throws -> Int {
        try store.read { reader in
            let count = try reader.connection.firstValue("SELECT count(*) FROM Person")
            guard case .integer(let count)? = count else { return 0 }
            return Int(count)
        }
    }

    @Test func `of a dense table is right`() throws {
        try fill([30_000], oneOf: 1)
        #expect(try estimate() == 30_000)
    }

    @Test(arguments: [[40_000], [20_000, 5000, 70], [3, 15_000, 1, 2]], [2, 7])
    func `is good to a few percent`(counts: [Int], oneOf: Int) throws {
        try fill(counts, oneOf: oneOf)
        let (estimated, counted) = (Double(try #require(try estimate())), Double(try count()))
        #expect(abs(estimated - counted) < counted * 0.05)
    }

    @Test func `is not made of a small table`() throws {
        #expect(try estimate() == nil)
        try fill([1000], oneOf: 1)
        #expect(try estimate() == nil)
        #expect(try estimate(ifMoreThan: 999) == 1000)
    }
}
