import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import TestSupport
import Testing

@testable import AnabranchStore

@Suite struct `Writes of a row` {
    private func decoded(_ writes: RowWrites) throws -> RowWrites {
        guard let blob = writes.blob else { return try RowWrites(writes.version, nil) }
        return try blob.withUnsafeBytes { try RowWrites(writes.version, $0) }
    }

    @Test(arguments: UInt64(0)..<200)
    func `agree with a dictionary, also after encoding and decoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var position = Int64.random(in: 1...(1 << 40), using: &generator)
        var writes = RowWrites(by: position)
        let properties = 0..<Int.random(in: 1...40, using: &generator)
        var expected = Dictionary(
            uniqueKeysWithValues: properties.map { ($0, position as Int64?) })
        for property in properties where generator.oneIn(4) {
            writes.leaveUnwritten(property)
            expected[property] = .some(nil)
        }
        for _ in 0..<Int.random(in: 0...60, using: &generator) {
            let property = Int.random(in: properties, using: &generator)
            if !generator.oneIn(3) {
                position += Int64.random(in: 1...(1 << 20), using: &generator)
            }
            try writes.write(property, by: position)
            expected[property] = position
            writes = try decoded(writes)
        }
        #expect(writes.version.position <= position)
        for property in properties {
            #expect(writes[property] == expected[property] ?? nil, "property \(property)")
        }
    }

    @Test func `writes by a single change set take no bytes, also when repeated`() throws {
        var writes = RowWrites(by: 100)
        #expect(writes.version == RowVersion(100))
        try writes.write(2, by: 100)
        #expect(writes.blob == nil)
    }

    @Test func `have the bytes that the format's description gives`() throws {
        var writes = RowWrites(by: 1000)
        try writes.write(2, by: 1300)
        writes.leaveUnwritten(3)
        #expect(writes.version == RowVersion(1300))
        #expect(writes.blob == [0xAC, 0x02, 0x02, 0x01, 0x03, 0x00])
    }

    @Test(arguments: UInt64(0)..<50)
    func `become in SQL what they become in memory`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let connection = try Connection(path: ":memory:")
        try WriteFunctions.define(on: connection)
        var writes = RowWrites(by: 7)
        for position in Int64(8)..<20 {
            let numbers = (0..<5).filter { _ in generator.oneIn(2) }
            var properties = ByteWriter()
            for number in numbers { properties.append(count: number) }
            let statement = try connection.prepare("SELECT ab_written(?, ?, ?, ?)")
            try statement.bind(writes.blob, at: 1)
            try statement.bind(writes.version.position, at: 2)
            try statement.bind(position, at: 3)
            try statement.bind(properties.bytes, at: 4)
            #expect(try statement.step())
            for number in numbers { try writes.write(number, by: position) }
            #expect(statement.isNull(at: 0) == (writes.blob == nil))
            #expect(statement.bytes(at: 0) == writes.blob ?? [])
        }
    }

    @Test func `writes that are cut short or point before the log are refused`() throws {
        var writes = RowWrites(by: 1 << 20)
        for property in 0..<3 { try writes.write(property, by: 1 << 21 + Int64(property)) }
        let bytes = try #require(writes.blob)
        for count in 0..<bytes.count {
            let cut = Array(bytes[..<count])
            // The prefix may be a whole number of entries: then it decodes to fewer.
            guard let read = try? cut.withUnsafeBytes({ try RowWrites(writes.version, $0) })
            else { continue }
            #expect(read.blob != bytes)
        }
        for version in [RowVersion(3), RowVersion(0), RowVersion(-1)] {
            #expect(throws: ChangeSetDecodingError.self) {
                try bytes.withUnsafeBytes { _ = try RowWrites(version, $0) }
            }
        }
        #expect(throws: ChangeSetDecodingError.self) { _ = try RowWrites(.none, nil) }
    }
}
