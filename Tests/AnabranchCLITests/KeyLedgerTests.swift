import Foundation
import TestSupport
import Testing

@testable import AnabranchCLI

@Suite struct KeyLedgerTests {
    /// Enough keys to fill chunks of every partition.
    private static let count = 300_000

    @Test func `keys in memory and in the file are compared with each other`() throws {
        var ledger = KeyLedger()
        var expected: [Int: [Int]] = [:]
        for line in 1...Self.count {
            // Every tenth key was there 1,000 rows before.
            let key = line.isMultiple(of: 10) && line > 1000 ? line - 1000 : line
            expected[key, default: []].append(line)
            try ledger.add(at: InputPlace(line: line, column: 1), note: key) { $0.combine(key) }
        }
        var found: [Int: [Int]] = [:]
        try ledger.forEachKey { entries in
            let notes = Set(entries.map(\.note))
            #expect(notes.count == 1)
            found[entries[entries.startIndex].note] = entries.map(\.place.line)
        }
        #expect(found == expected)
    }

    @Test func `a place comes back with line and column`() throws {
        var ledger = KeyLedger()
        let places = [
            InputPlace(line: 1, column: 1), InputPlace(line: 4_000_000_000, column: 70_000),
        ]
        for place in places { try ledger.add(at: place) { $0.combine("key") } }
        try ledger.forEachKey { #expect($0.map(\.place) == places) }
    }
}
