import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How values of one property stand in a column.
package enum ColumnKind: Sendable {
    case bool
    case integer
    /// REAL in a column without affinity, which alone keeps −0.0; NaN, which SQLite would make
    /// NULL, as the text `NaN`.
    case real
    /// As `real`: seconds since 2001-01-01 UTC.
    case date
    /// The text of an exact decimal, compared with the collation `ab_decimal`.
    case decimal
    case text
    case uri
    case data
    /// 16 bytes.
    case uuid
    /// A record's local ID.
    case reference

    init(_ type: AttributeType) {
        switch type {
        case .boolean: self = .bool
        case .integer16, .integer32, .integer64: self = .integer
        case .float, .double: self = .real
        case .date: self = .date
        case .decimal: self = .decimal
        case .string: self = .text
        case .uri: self = .uri
        case .binary: self = .data
        case .uuid: self = .uuid
        case .undefined: self = .data
        }
    }

    /// As it stands in CREATE TABLE.
    var declaration: String {
        switch self {
        case .bool, .integer, .reference: "INTEGER"
        case .real, .date: ""
        case .decimal, .text, .uri: "TEXT"
        case .data, .uuid: "BLOB"
        }
    }

    var collation: String { self == .decimal ? " COLLATE ab_decimal" : "" }
}

extension Statement {
    /// Binds a value of a slot; a reference is the record's local ID as an integer.
    func bind(slot value: Value, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let integer): try bind(integer, at: index)
        case .string(let text), .uri(let text): try bind(text, at: index)
        case .bool(let flag): try bind(flag ? 1 : 0 as Int64, at: index)
        case .double(let double), .date(let double):
            if double.isNaN { try bind("NaN", at: index) } else { try bind(double, at: index) }
        default: try bind(rare: value, at: index)
        }
    }

    func bind(rare value: Value, at index: Int) throws {
        switch value {
        case .decimal(let decimal): try bind(decimal.description, at: index)
        case .data(let data): try bind([UInt8](data), at: index)
        case .uuid(let uuid): try withUnsafeBytes(of: uuid.uuid) { try bind($0, at: index) }
        case .unknown(_, let bytes): try bind(bytes, at: index)
        default: try bindNull(at: index)
        }
    }

    /// Reads a column as a slot's value.
    func slot(at column: Int, as kind: ColumnKind) -> Value {
        unsafeColumn(at: column).slot(as: kind)
    }
}

extension UnsafeColumn {
    func slot(as kind: ColumnKind) -> Value {
        if isNull { return .null }
        switch kind {
        case .integer, .reference: return .integer(int64)
        case .text: return .string(string)
        case .bool: return .bool(int64 != 0)
        case .real: return .double(isText ? .nan : double)
        case .date: return .date(isText ? .nan : double)
        default: return rareSlot(as: kind)
        }
    }

    private func rareSlot(as kind: ColumnKind) -> Value {
        switch kind {
        case .decimal: return ExactDecimal(string).map(Value.decimal) ?? .null
        case .uri: return .uri(string)
        case .uuid:
            return withBytes {
                $0.count == 16 ? .uuid(UUID(uuid: $0.loadUnaligned(as: uuid_t.self))) : .null
            }
        default: return .data(Data(bytes))
        }
    }
}
