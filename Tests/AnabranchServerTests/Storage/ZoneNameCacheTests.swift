import AnabranchProtocol
import AnabranchReplication
import Testing

@testable import AnabranchServer

/// Tests of the names that an open zone keeps in memory.
@Suite struct ZoneNameCacheTests {
    private static func names(_ count: Int) -> [WireName] {
        let rest = String(repeating: "n", count: Limits.longestName - 8)
        return (0..<count).map { WireName("\($0 + 10_000_000)" + rest) }
    }

    @Test func `long names take no more memory than many short ones`() {
        let cache = ZoneNameCache()
        var most = 0
        for (number, name) in Self.names(10_000).enumerated() {
            cache.insert(name, entity: Int64(number))
            cache.insert(WireProperty(name: name, type: .bool), number: Int64(number))
            most = max(most, (cache.entities.count + cache.properties.count) * Limits.longestName)
        }
        #expect(most > 2 << 20 && most <= ZoneNameCache.byteLimit)
        cache.forget()
        #expect(cache.byteCount == 0)
    }

    @Test(.everyStore) func `more names than the cache has room for are read again`() throws {
        let zone = try TestZone(StorageKind.current)
        var author = TestAuthor(1)
        let record = author.newRecord()
        let properties = Self.names(4000).map { WireProperty(name: $0, type: .bool) }
        let rows = RowBlock(
            entity: "Person", records: [record], properties: properties,
            columns: properties.map { _ in [.bool(true)] })
        #expect(try zone.push(author.save([.insert(rows)])).refusal == nil)
        let image = try zone.storage.read { try $0.image(of: record) }
        #expect(Set(image.record?.cells.map(\.property) ?? []) == Set(properties))
        #expect(try zone.service.verify().isValid)
    }
}
