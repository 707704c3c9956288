public import CSQLite

/// One value in one of SQLite's five storage classes.
///
/// Equality compares the stored bytes: text by UTF-8 rather than by canonical equivalence, reals by
/// bit pattern. A round trip can therefore be checked exactly.
public enum SQLiteValue: Sendable {
    /// NULL.
    case null
    /// A signed integer of 64 bits.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A text in UTF-8.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// The storage class, numbered as in SQLite.
    public enum Kind: Int32, Sendable {
        /// A signed integer.
        case integer = 1
        /// A floating-point number.
        case real = 2
        /// A text.
        case text = 3
        /// Bytes.
        case blob = 4
        /// NULL.
        case null = 5

        /// Creates a storage class from SQLite's code; an unknown code is `null`.
        @inlinable @inline(__always)
        init(code: Int32) {
            // The compiler's own initializer is a call, which every read of a column would pay for.
            switch code {
            case SQLITE_INTEGER: self = .integer
            case SQLITE_FLOAT: self = .real
            case SQLITE_TEXT: self = .text
            case SQLITE_BLOB: self = .blob
            default: self = .null
            }
        }
    }
}

extension SQLiteValue: Hashable {
    /// Returns true if the stored bytes are equal.
    public static func == (left: SQLiteValue, right: SQLiteValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.blob(let left), .blob(let right)): left == right
        default: false
        }
    }

    /// Hashes the stored bytes.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .blob(let value): hasher.combine(value)
        }
    }
}

extension SQLiteValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
    /// Creates NULL.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Creates a text.
    public init(stringLiteral value: String) { self = .text(value) }
}
