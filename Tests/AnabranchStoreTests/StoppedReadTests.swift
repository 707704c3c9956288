import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of reads that are stopped.
@Suite struct StoppedReadTests {
    /// Takes some seconds.
    private static let long = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000000)
        SELECT count(*) FROM n
        """

    /// A task may be cancelled between the beginning of its read and that of the statement.
    @Test func `a read that is stopped before its statement begins throws`() throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("store")
        defer { withExtendedLifetime(scenario) {} }
        let cancellation = ReadCancellation()
        #expect(throws: CancellationError.self) {
            try store.read { reader in
                try reader.stoppable(by: cancellation) {
                    cancellation.cancel()
                    _ = try reader.connection.firstValue(Self.long)
                }
            }
        }
        #expect(throws: CancellationError.self) {
            try store.read { reader in try reader.stoppable(by: cancellation) {} }
        }
        #expect(try store.read { try $0.connection.firstValue("SELECT 1") } == 1)
    }
}
