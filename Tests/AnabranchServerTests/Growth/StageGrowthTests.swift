import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// The work of staging parts grows with the parts, and not faster.
@Suite struct StageGrowthTests {
    private static func stage(
        _ bytes: [UInt8], of part: SavePart, at start: Int = 0, in zone: TestZone
    ) throws {
        _ = try zone.service.stage(
            StageRequest(part: part, start: UInt64(start), bytes: bytes))
    }

    @Test func `the work for a part is at most proportional to its pieces`() throws {
        let factor = try Growth.factor(from: 200) { size in
            let zone = try TestZone(.sqlite)
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            let part = SavePart(of: bytes)
            return {
                for (start, byte) in bytes.enumerated() {
                    try Self.stage([byte], of: part, at: start, in: zone)
                }
                #expect(try zone.storage.read { try $0.heldBytes(of: part) } == size)
            }
        }
        #expect(factor < Growth.limit)
    }

    @Test(.everyStore)
    func `a part with wrong bytes costs no look at the other parts`() throws {
        let zone = try TestZone(StorageKind.current)
        var author = TestAuthor(1)
        let (save, parts) = author.insertInParts(3)
        for part in parts { try Self.stage(part, of: SavePart(of: part), in: zone) }
        _ = try zone.push(save)
        let staged = Array("A part that waits for its save.".utf8)
        try Self.stage(staged, of: SavePart(of: staged), in: zone)
        let before = try zone.service.amounts()
        let wrong = SavePart(digest: Digest(of: [1]), byteCount: 3)
        #expect(throws: ProtocolError.self) { try Self.stage([1, 2, 3], of: wrong, in: zone) }
        #expect(try zone.storage.read { try $0.heldBytes(of: wrong) } == 0)
        // The others are there, and the quota has no bytes of the wrong one.
        let after = try zone.service.amounts()
        #expect(after[.bytes] == before[.bytes])
        let others = parts + [staged]
        let held = try zone.storage.read { reader in
            try others.map { try reader.heldBytes(of: SavePart(of: $0)) }
        }
        #expect(held == others.map(\.count))
        let count = try zone.storage.read { try $0.staged() }
        #expect(count == StagedParts(count: 1, byteCount: staged.count))
    }

    @Test func `parts with wrong bytes cost the same, however many parts the zone has`() throws {
        let factor = try Growth.factor(from: 50) { size in
            let zone = try TestZone(.sqlite)
            var author = TestAuthor(1)
            let (save, parts) = author.insertInParts(5 * size)
            for part in parts { try Self.stage(part, of: SavePart(of: part), in: zone) }
            _ = try zone.push(save)
            let wrong = SavePart(digest: Digest(of: [1]), byteCount: 3)
            return {
                for _ in 0..<size {
                    #expect(throws: ProtocolError.self) {
                        try Self.stage([1, 2, 3], of: wrong, in: zone)
                    }
                }
            }
        }
        #expect(factor < Growth.limit)
    }

    @Test(.everyStore) func `a zone has a greatest number of parts without a save`() throws {
        var limits = ZoneLimits()
        limits.stagedParts = 2
        let zone = try TestZone(StorageKind.current, limits: limits)
        let parts = ["one", "two", "three"].map { Array($0.utf8) }
        try Self.stage(Array(parts[0].prefix(1)), of: SavePart(of: parts[0]), in: zone)
        try Self.stage(parts[1], of: SavePart(of: parts[1]), in: zone)
        let error = #expect(throws: ProtocolError.self) {
            try Self.stage(parts[2], of: SavePart(of: parts[2]), in: zone)
        }
        #expect(error?.code == .storageFull)
        #expect(error?.details["limit"] == "2")
        // A part that was begun can be completed.
        try Self.stage(
            Array(parts[0].dropFirst()), of: SavePart(of: parts[0]), at: 1, in: zone)
        #expect(try zone.storage.read { try $0.heldBytes(of: SavePart(of: parts[0])) } == 3)
    }
}
