import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the positions that wait until they are written.
@Suite struct AcknowledgedPositionsTests {
    private let positions = AcknowledgedPositions()
    private let zone: TestZone

    init() throws { zone = try TestZone(.sqlite) }

    private func record(_ number: Int, at position: UInt64) {
        _ = positions.record(
            TestAuthor(UInt64(number)).replica, at: position, now: 1_700_000_000_000)
    }

    /// Writes what waits.
    ///
    /// - Returns: All written positions by the number of their replica.
    private func flush() throws -> [UInt64: UInt64] {
        try positions.flush(into: zone.service.transactions)
        let held = try zone.storage.read { try $0.acknowledgements() }
        return Dictionary(uniqueKeysWithValues: held.map { ($0.key.high, $0.value.position) })
    }

    @Test func `a replica beyond the limit waits for the next time`() throws {
        let limit = AcknowledgedPositions.limit
        for number in 1...limit + 10 { record(number, at: 1) }
        // A replica that waits already may go on.
        record(1, at: 5)
        let held = try flush()
        #expect(held.count == limit)
        #expect(held[1] == 5 && held[UInt64(limit)] == 1)
        record(limit + 10, at: 3)
        #expect(try flush().count == limit + 1)
    }

    @Test func `a replica that is removed is not written`() throws {
        for number in 1...3 { record(number, at: 1) }
        positions.remove(TestAuthor(2).replica)
        #expect(try flush() == [1: 1, 3: 1])
    }
}
