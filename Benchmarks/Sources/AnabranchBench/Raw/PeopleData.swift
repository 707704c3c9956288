import CRawSQLite

/// The same persons for both sides, created before any measurement: strings for objects, UTF-8 for
/// C.
final class PeopleData: Sendable {
    let count: Int
    let ages: [Int64]
    let firstNames: [String]
    let lastNames: [String]
    let firstUTF8: UTF8Column
    let lastUTF8: UTF8Column

    /// Generates names of 6 to 13 bytes, and ages from 0 to 999 in no order.
    init(count: Int) {
        self.count = count
        ages = (0..<count).map { Int64($0 &* 7919 % 1000) }
        firstNames = (0..<count).map { "First\($0)" }
        lastNames = (0..<count).map { "Last\($0 &* 31 % 1_000_003)" }
        firstUTF8 = UTF8Column(firstNames)
        lastUTF8 = UTF8Column(lastNames)
    }
}

/// Adjacent texts that can be bound without a copy.
///
/// The memory is never freed: the data lives as long as the program.
struct UTF8Column: @unchecked Sendable {
    private let bytes: UnsafeMutablePointer<UInt8>
    private let ends: [Int]

    init(_ texts: [String]) {
        let joined = texts.flatMap(\.utf8)
        bytes = .allocate(capacity: max(joined.count, 1))
        bytes.initialize(from: joined, count: joined.count)
        var end = 0
        ends = texts.map {
            end += $0.utf8.count
            return end
        }
    }

    var count: Int { ends.count }

    @inline(__always)
    func bind(_ row: Int, to statement: OpaquePointer, at index: Int32) {
        let start = row == 0 ? 0 : ends[row - 1]
        raw_bind_text(statement, index, bytes + start, Int32(ends[row] - start))
    }
}
