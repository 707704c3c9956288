import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The form in which a column holds the values of one property.
package enum ColumnKind: Sendable {
    case bool
    case integer
    /// `REAL` in a column without affinity, because only such a column keeps −0.0. NaN is stored as
    /// the text `NaN`, because SQLite would turn it into NULL.
    case real
    /// Seconds since 2001-01-01 UTC, stored in the same form as `real`.
    case date
    /// The text of an exact decimal, compared with the collation `ab_decimal`.
    case decimal
    case text
    case uri
    case data
    /// A UUID as 16 bytes.
    case uuid
    /// The local ID of a record.
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
        case .binary, .transformable: self = .data
        case .uuid: self = .uuid
        case .undefined: self = .data
        }
    }

    /// The form of a wire type's values; `nil` for a type that a column alone does not determine.
    init?(_ type: WireType) {
        switch type {
        case .bool: self = .bool
        case .integer16, .integer32, .integer64: self = .integer
        case .float, .double: self = .real
        case .date: self = .date
        case .decimal: self = .decimal
        case .string: self = .text
        case .uri: self = .uri
        case .data: self = .data
        case .uuid: self = .uuid
        case .reference: self = .reference
        default: return nil
        }
    }

    /// The column's type in CREATE TABLE.
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
    /// Binds the value of a slot; a reference is the record's local ID as an integer.
    ///
    /// - Parameter kind: The kind of the column that receives the value; `nil` for a value that is
    ///   only compared.
    func bind(slot value: PropertyValue, at index: Int, as kind: ColumnKind? = nil) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let integer): try bind(integer, at: index)
        case .string(let text), .uri(let text): try bind(text, at: index)
        case .bool(let flag): try bind(flag ? 1 : 0 as Int64, at: index)
        case .double(let double), .date(let double):
            if double.isNaN { try bind("NaN", at: index) } else { try bind(double, at: index) }
        default: try bind(rare: value, at: index, as: kind)
        }
    }

    private func bind(rare value: PropertyValue, at index: Int, as kind: ColumnKind?) throws {
        switch value {
        case .decimal(let decimal): try bind(decimal.description, at: index)
        case .data(let data): try bind(data: data, at: index)
        case .uuid(let uuid): try withUnsafeBytes(of: uuid.uuid) { try bind($0, at: index) }
        case .group, .unknown: try bind(unknown: value, at: index, as: kind)
        default: try bindNull(at: index)
        }
    }

    private func bind(data: Data, at index: Int) throws {
        guard data.count >= LargeValue.leastByteCount else {
            return try data.withUnsafeBytes { try bind($0, at: index) }
        }
        let value = LargeValue(data)
        try bind(value.bytes, ownedBy: value, at: index)
    }

    /// Binds a group value, or a value of a later format, with its tag and its bytes.
    ///
    /// The result differs from every ordinary value of the column: it is a blob, or in a column of
    /// blobs the hexadecimal text of that blob.
    private func bind(unknown value: PropertyValue, at index: Int, as kind: ColumnKind?) throws {
        var writer = ByteWriter()
        writer.append(tagged: value)
        if kind == .data || kind == .uuid {
            try bind(writer.bytes.hexadecimal, at: index)
        } else {
            try bind(writer.bytes, at: index)
        }
    }

    func slot(at column: Int, as kind: ColumnKind) -> PropertyValue {
        unsafeColumn(at: column).slot(as: kind)
    }
}

extension UnsafeColumn {
    @inline(__always)
    func slot(as kind: ColumnKind) -> PropertyValue {
        let type = self.type
        if type == .null { return .null }
        switch kind {
        case .integer, .reference: if type == .integer { return .integer(int64) }
        case .text: if type == .text { return .string(string) }
        case .bool: if type == .integer { return .bool(int64 != 0) }
        case .real: if type == .real { return .double(double) }
        case .date: if type == .real { return .date(double) }
        case .decimal, .uri, .data, .uuid: break
        }
        return rareSlot(as: kind, type)
    }

    private func rareSlot(as kind: ColumnKind, _ type: SQLiteValue.Kind) -> PropertyValue {
        switch (kind, type) {
        case (.data, .blob): .data(withBytes { Data($0) })
        case (.uuid, .blob): uuid ?? .null
        case (.decimal, .text): ExactDecimal(string).map(PropertyValue.decimal) ?? .null
        case (.uri, .text): .uri(string)
        case (.real, .text): .double(.nan)
        case (.date, .text): .date(.nan)
        default: unknown(type) ?? foreignSlot(as: kind)
        }
    }

    private var uuid: PropertyValue? {
        withBytes {
            $0.count == 16 ? .uuid(UUID(uuid: $0.loadUnaligned(as: uuid_t.self))) : nil
        }
    }

    /// A group value or a value of a later format; `nil` for any other column value.
    private func unknown(_ type: SQLiteValue.Kind) -> PropertyValue? {
        let tagged = type == .blob ? bytes : [UInt8](hexadecimal: string)
        guard let tagged else { return nil }
        var reader = ByteReader(tagged)
        guard let value = try? reader.readTagged(), reader.isAtEnd else { return nil }
        switch value {
        case .group, .unknown: return value
        default: return nil
        }
    }

    /// A value that another program wrote into the column, as SQLite converts it.
    private func foreignSlot(as kind: ColumnKind) -> PropertyValue {
        switch kind {
        case .integer, .reference: .integer(int64)
        case .bool: .bool(int64 != 0)
        case .real: .double(double)
        case .date: .date(double)
        case .text: .string(string)
        case .uri: .uri(string)
        case .decimal: ExactDecimal(string).map(PropertyValue.decimal) ?? .null
        case .data: .data(Data(bytes))
        case .uuid: .null
        }
    }
}
