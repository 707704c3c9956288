import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import TestSupport
import Testing

@testable import AnabranchStore

@Suite struct `Stamps of a row` {
    private typealias LocalStamp = RowStamps.LocalStamp

    @Test(arguments: UInt64(0)..<200)
    func `are those of a dictionary, and so is what was encoded`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var clock: UInt64 = 1 << 40
        let first = LocalStamp(timestamp: clock, ordinal: 0)
        var stamps = RowStamps(writtenBy: first)
        var last = first
        let properties = 0..<Int.random(in: 1...40, using: &generator)
        var expected = Dictionary(
            uniqueKeysWithValues: properties.map { ($0, first as LocalStamp?) })
        for property in properties where generator.oneIn(4) {
            stamps.leaveUnwritten(property)
            expected[property] = .some(nil)
        }
        for _ in 0..<Int.random(in: 0...60, using: &generator) {
            let property = Int.random(in: properties, using: &generator)
            let ordinal = Int64.random(
                in: 0...Int64(Limits.greatestReplicaOrdinal), using: &generator)
            var stamp = LocalStamp(timestamp: clock, ordinal: ordinal)
            let isLate = generator.oneIn(3)
            if isLate {
                stamp.timestamp = UInt64.random(in: 0...last.timestamp, using: &generator)
            } else {
                clock += UInt64.random(in: 1...(1 << 20), using: &generator)
                stamp.timestamp = clock
                last = stamp
            }
            stamps.write(property, at: stamp, isLast: !isLate)
            expected[property] = stamp
            stamps = try RowStamps(stamps.version)
        }
        #expect(stamps.version.stamp == Int64(last.timestamp))
        #expect(stamps.version.by == last.ordinal)
        for property in properties {
            #expect(stamps[property] == expected[property] ?? nil, "property \(property)")
        }
    }

    @Test func `of one save take no bytes, also when all was written again`() {
        let first = LocalStamp(timestamp: 100, ordinal: 3)
        var stamps = RowStamps(writtenBy: first)
        #expect(stamps.version == RowVersion(stamp: 100, by: 3))
        stamps.write(2, at: first, isLast: true)
        #expect(stamps.version.stamps == nil)
    }

    @Test func `of one later write take few bytes`() throws {
        var stamps = RowStamps(
            writtenBy: LocalStamp(timestamp: 1_700_000_000_000 << 16, ordinal: 0))
        stamps.write(
            1, at: LocalStamp(timestamp: 1_700_000_060_000 << 16, ordinal: 0), isLast: true)
        let bytes = try #require(stamps.version.stamps)
        #expect(bytes.count <= 10)
    }

    @Test func `are the bytes that the format's description gives`() {
        var stamps = RowStamps(writtenBy: LocalStamp(timestamp: 1000, ordinal: 0))
        stamps.write(2, at: LocalStamp(timestamp: 1300, ordinal: 5), isLast: true)
        #expect(stamps.version.stamp == 1300)
        #expect(stamps.version.by == 5)
        #expect(stamps.version.stamps == [0xAC, 0x02, 0x00, 0x02, 0x01, 0x05])
    }

    @Test func `tell one version from every other`() {
        let first = LocalStamp(timestamp: 100, ordinal: 0)
        var versions: Set<RowVersion> = []
        var stamps = RowStamps(writtenBy: first)
        versions.insert(stamps.version)
        for property in 0..<4 {
            stamps.write(
                property, at: LocalStamp(timestamp: 50 + UInt64(property), ordinal: 1),
                isLast: false)
            #expect(versions.insert(stamps.version).inserted)
            stamps.write(
                property, at: LocalStamp(timestamp: 200 + UInt64(property), ordinal: 1),
                isLast: true)
            #expect(versions.insert(stamps.version).inserted)
        }
    }

    @Test func `that are cut short or point before all time are refused`() throws {
        var stamps = RowStamps(writtenBy: LocalStamp(timestamp: 1 << 40, ordinal: 5))
        for property in 0..<3 {
            stamps.write(
                property, at: LocalStamp(timestamp: 1 << 41 + UInt64(property), ordinal: 9),
                isLast: true)
        }
        let version = stamps.version
        let bytes = try #require(version.stamps)
        for count in 0..<bytes.count {
            var cut = version
            cut.stamps = Array(bytes[..<count])
            // A whole number of entries may be left: then it reads as fewer.
            if let read = try? RowStamps(cut) { #expect(read.version != version) }
        }
        var early = version
        early.stamp = 3
        #expect(throws: ChangeSetDecodingError.self) { _ = try RowStamps(early) }
    }
}
