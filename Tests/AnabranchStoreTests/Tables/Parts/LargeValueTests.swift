import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchStore

/// Tests of values that exceed other limits, and of records that are larger than a row.
@Suite struct LargeValueTests {
    private let scenario: StoreScenario

    init() throws {
        scenario = try StoreScenario(
            model: try ManagedObjectModel {
                EntityDeclaration("File") {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("bytes", .binary)
                    AttributeDeclaration("preview", .binary)
                    AttributeDeclaration("text", .string)
                }
            })
    }

    /// Returns bytes that differ between any two values.
    private static func data(_ count: Int, _ seed: UInt8 = 0) -> PropertyValue {
        .data(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 251) &+ seed }))
    }

    private func set(_ key: String, _ value: PropertyValue, of id: LocalID, in store: Store) throws
    {
        _ = try store.update("File", id, [key: value])
    }

    private func expectRefused(
        _ id: LocalID? = nil, _ body: () throws -> Void
    ) throws {
        let error = try #require(throws: StoreError.self) { try body() }
        #expect(error.code == .saveTooLarge && error.entity == "File")
        #expect(error.message.contains("make them smaller"))
        if let id { #expect(error.records == [id]) } else { #expect(error.records.count == 1) }
    }

    @Test func `a value beyond the limit is refused by the save, which names the record`() throws {
        let store = try scenario.open("a", recordBytes: 50_000)
        let fits = try store.insert("File", ["bytes": Self.data(49_000)])
        try expectRefused { try store.insert("File", ["bytes": Self.data(50_001)]) }
        try expectRefused {
            try store.insert("File", ["text": .string(String(repeating: "x", count: 50_001))])
        }
        try expectRefused(fits) { try set("bytes", Self.data(60_000), of: fits, in: store) }
        // Nothing of them is left, and the store continues.
        #expect(try store.pendingSaves().count == 1)
        try set("bytes", Self.data(10), of: fits, in: store)
        #expect(try store.check().isValid)
    }

    @Test func `the values of one record count together, whichever save wrote them`() throws {
        let store = try scenario.open("a", recordBytes: 50_000)
        try expectRefused {
            try store.insert(
                "File", ["bytes": Self.data(30_000), "preview": Self.data(30_000)])
        }
        let file = try store.insert("File", ["bytes": Self.data(30_000)])
        try expectRefused(file) { try set("preview", Self.data(30_000), of: file, in: store) }
        try set("preview", Self.data(15_000), of: file, in: store)
        try set("bytes", .null, of: file, in: store)
        try set("preview", Self.data(45_000), of: file, in: store)
        #expect(try store.check().isValid)
    }

    /// One statement writes sixteen records.
    @Test(arguments: [0, 7, 15, 21, 39])
    func `the error names the one of many new records that is too large`(large: Int) throws {
        let store = try scenario.open("a", recordBytes: 50_000)
        let first = try store.reserveNumbers(40).lowerBound
        let file = try #require(store.model.entity(named: "File"))
        /// Returns a save in which each value alone would fit.
        func request(_ sizes: (bytes: Int, preview: Int)) -> SaveRequest {
            let rows = (0..<40).map { index in
                let size = index == large ? sizes : (10, 10)
                let values = ["bytes": Self.data(size.0), "preview": Self.data(size.1)]
                return (first + Int64(index), store.slots(of: file, values))
            }
            var request = SaveRequest()
            request.inserts = [.init(entity: file, rows: rows)]
            return request
        }
        try expectRefused(first + Int64(large)) {
            _ = try store.save(request((30_000, 30_000)))
        }
        #expect(try store.pendingSaves().count == 0)
        _ = try store.save(request((20_000, 20_000)))
        #expect(try store.check().isValid)
        #expect(try (0..<40).allSatisfy { try store.row("File", first + $0) != nil })
    }

    @Test func `a record that two saves made larger than a row is reported when it is applied`()
        throws
    {
        let (a, b) = (try scenario.open("a"), try scenario.open("b"))
        let file = try a.insert("File", ["name": .string("both")])
        for store in [a, b] { try scenario.zone.sync(store) }
        let other = try b.id(of: file, on: a)
        try set("bytes", Self.data(60_000), of: file, in: a)
        try set("preview", Self.data(60_000), of: other, in: b)
        try scenario.zone.push(from: a)
        try b.withWriter { $0.lengthLimit = 100_000 }
        let error = try #require(throws: StoreError.self) { try scenario.zone.pull(into: b) }
        #expect(error.code == .recordTooLarge && error.records == [other])
        #expect(error.entity == "File")
        // The test does what the error's message says.
        try set("preview", Self.data(10_000), of: other, in: b)
        for store in [b, a, b] { try scenario.zone.sync(store) }
        #expect(try a.canonicalHash() == b.canonicalHash())
        #expect(try b.row("File", other)?.slots == a.row("File", file)?.slots)
    }

    /// The value is large enough to be bound, encoded and cut without copies.
    @Test(arguments: TestLength.isQuick ? [1 << 20] : [1 << 20, 3 << 20])
    func `a large value goes through log, parts, bundle and page unchanged`(size: Int) throws {
        let a = try scenario.open("a", partBytes: 1 << 19)
        let value = Self.data(size + 17)
        let text = PropertyValue.string(String(repeating: "straße ", count: size / 8))
        let file = try a.insert(
            "File", ["name": .string("first"), "bytes": value, "text": text])
        try a.insert("File", ["name": .string("small")])
        try set("bytes", Self.data(size, 7), of: file, in: a)
        #expect(try a.check().isValid)
        let bundle = scenario.path("all.bundle")
        _ = try a.exportBundle(to: bundle)
        try scenario.zone.push(from: a)
        let (b, c) = (try scenario.open("b"), try scenario.open("c"))
        try scenario.zone.pull(into: b)
        _ = try c.importBundle(from: bundle) { _ in }
        for store in [b, c] {
            #expect(try store.canonicalHash() == a.canonicalHash())
            let slots = try #require(try store.row("File", store.id(of: file, on: a))).slots
            #expect(slots.contains(Self.data(size, 7)) && slots.contains(text))
            #expect(try store.check().isValid)
        }
        #expect(try scenario.zone.reference().canonicalHash == a.canonicalHash())
    }

    @Test(.long) func `two large values that contest one property are both kept`() throws {
        let (a, b) = (try scenario.open("a"), try scenario.open("b"))
        let file = try a.insert("File", ["name": .string("both")])
        for store in [a, b] { try scenario.zone.sync(store) }
        let other = try b.id(of: file, on: a)
        try set("bytes", Self.data(2 << 20, 1), of: file, in: a)
        scenario.clock.milliseconds += 1
        try set("bytes", Self.data(2 << 20, 2), of: other, in: b)
        for store in [a, b, a] { try scenario.zone.sync(store) }
        let lost = try a.conflicts()
        #expect(lost.map(\.value) == [Self.data(2 << 20, 1)])
        #expect(lost.map(\.winningValue) == [Self.data(2 << 20, 2)])
        #expect(try a.canonicalHash() == b.canonicalHash())
    }
}
