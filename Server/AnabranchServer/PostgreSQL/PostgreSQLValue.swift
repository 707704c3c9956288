/// A parameter of a statement, sent in PostgreSQL's binary form.
///
/// Arrays carry the values of many rows, so that one statement writes or finds all of them.
package enum PostgreSQLValue: Sendable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case integers([Int64])
    /// An array of `bytea`; an element may be NULL.
    case blobs([[UInt8]?])
}

extension PostgreSQLValue {
    /// The value's bytes; `nil` for NULL.
    var encoded: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): Self.bigEndian(number)
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        case .integers(let numbers): Self.array(of: numbers)
        case .blobs(let blobs): Self.array(of: blobs)
        }
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// The types of array elements, by their OIDs in `pg_type`.
    private static let int8: Int32 = 20
    private static let bytea: Int32 = 17

    /// The header of an array with one dimension.
    private static func header(count: Int, hasNull: Bool, element: Int32) -> [UInt8] {
        guard count > 0 else {
            return [Int32(0), 0, element].flatMap { bigEndian($0) }
        }
        return [1, hasNull ? 1 : 0, element, Int32(count), 1].flatMap { bigEndian($0) }
    }

    private static func array(of numbers: [Int64]) -> [UInt8] {
        var bytes = header(count: numbers.count, hasNull: false, element: int8)
        bytes.reserveCapacity(bytes.count + numbers.count * 12)
        for number in numbers {
            bytes.append(contentsOf: [0, 0, 0, 8])
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private static func array(of blobs: [[UInt8]?]) -> [UInt8] {
        var bytes = header(
            count: blobs.count, hasNull: blobs.contains { $0 == nil }, element: bytea)
        bytes.reserveCapacity(blobs.reduce(bytes.count) { $0 + 4 + ($1?.count ?? 0) })
        for blob in blobs {
            let count = blob.map { Int32($0.count) } ?? -1
            withUnsafeBytes(of: count.bigEndian) { bytes.append(contentsOf: $0) }
            if let blob { bytes.append(contentsOf: blob) }
        }
        return bytes
    }
}

/// A statement with the values of its parameters.
package struct PostgreSQLStatement: Sendable {
    package let sql: String
    package let parameters: [PostgreSQLValue]
    /// The number of rows that the statement must change; `nil` for any number.
    package let changes: Int?

    init(_ sql: String, _ parameters: PostgreSQLValue..., changing changes: Int? = nil) {
        self.init(sql, parameters, changing: changes)
    }

    init(_ sql: String, _ parameters: [PostgreSQLValue], changing changes: Int? = nil) {
        self.sql = sql
        self.parameters = parameters
        self.changes = changes
    }
}
