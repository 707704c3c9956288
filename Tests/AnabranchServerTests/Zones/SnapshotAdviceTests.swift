import AnabranchProtocol
import AnabranchReplication
import Testing

@testable import AnabranchServer

@Suite struct SnapshotAdviceTests {
    /// A log, and whether a client without a cursor should load a snapshot instead.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let advice: SnapshotAdvice
        let isAdvised: Bool

        init(
            _ title: String, entries: UInt64, logBytes: Int64, records: Int64, stateBytes: Int64,
            isAdvised: Bool
        ) {
            testDescription = title
            advice = SnapshotAdvice(
                entries: entries, logBytes: logBytes, records: records, stateBytes: stateBytes)
            self.isAdvised = isAdvised
        }
    }

    private static let megabyte: Int64 = 1_000_000

    static let cases = [
        Case(
            "an empty log", entries: 0, logBytes: 0, records: 0, stateBytes: 0, isAdvised: false),
        Case(
            "1,000 saves of 10,000 records each", entries: 1000, logBytes: 400 * megabyte,
            records: 10_000_000, stateBytes: 800 * megabyte, isAdvised: true),
        Case(
            "100 saves of 10,000 records each", entries: 100, logBytes: 40 * megabyte,
            records: 1_000_000, stateBytes: 80 * megabyte, isAdvised: true),
        Case(
            "5,000 small saves", entries: 5000, logBytes: megabyte, records: 5000,
            stateBytes: megabyte, isAdvised: false),
        Case(
            "10,000 small saves", entries: 10_000, logBytes: 2 * megabyte, records: 10_000,
            stateBytes: megabyte, isAdvised: true),
        Case(
            "five photos", entries: 5, logBytes: 500 * megabyte, records: 5,
            stateBytes: 500 * megabyte, isAdvised: false),
        Case(
            "one photo, edited 500 times", entries: 500, logBytes: 500 * megabyte, records: 1,
            stateBytes: megabyte, isAdvised: true),
        Case(
            "records that were all deleted", entries: 2000, logBytes: 200 * megabyte, records: 0,
            stateBytes: 0, isAdvised: true),
    ]

    @Test(arguments: cases)
    func `records and bytes decide`(each: Case) {
        #expect(each.advice.isAdvised(ZoneLimits()) == each.isAdvised)
    }

    @Test(arguments: StorageKind.allCases)
    func `the sizes are those of the zone`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, record) = author.insertPerson()
        let sets = [first, author.save([.rename(record, to: "Bob")])]
        _ = try zone.push(sets)
        let advice = try zone.storage.read { try $0.snapshotAdvice($0.logState(), ZoneLimits()) }
        let bytes = sets.reduce(0) { $0 + $1.encoded().count }
        #expect(advice.entries == 2 && advice.records == 1 && advice.logBytes == bytes)
        let use = try zone.storage.read { try $0.use() }
        #expect(advice.stateBytes == use.bytes - Int64(bytes) && advice.stateBytes > 0)
    }

    @Test(arguments: StorageKind.allCases)
    func `a client without a cursor gets the advice`(kind: StorageKind) throws {
        var limits = ZoneLimits()
        func isAdvised(_ cursor: LogCursor? = nil) throws -> Bool {
            let zone = try TestZone(kind, limits: limits)
            var author = TestAuthor(1)
            _ = try zone.push(author.insertPerson().0)
            let own = try zone.storage.read { try $0.logState().head }
            return try zone.service.hello(
                HelloRequest(
                    replica: ReplicaID(high: 9, low: 9), last: nil,
                    cursor: cursor == nil ? nil : own, wallMilliseconds: 0)
            ).isSnapshotAdvised
        }
        #expect(try !isAdvised())
        limits.snapshotMilliseconds = 0
        #expect(try isAdvised())
        let cursor = LogCursor(startOf: ReplicaID(high: 1, low: 1))
        #expect(try !isAdvised(cursor))
    }
}
