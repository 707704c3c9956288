public import CSQLite

/// One value in one of SQLite's five storage classes.
///
/// Equality is that of the stored bytes: text by UTF-8 rather than by canonical equivalence, reals
/// by bit pattern, so that a round trip can be checked exactly.
public enum SQLiteValue: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// The storage class, numbered as in SQLite.
    public enum Kind: Int32, Sendable {
        case integer = 1
        case real = 2
        case text = 3
        case blob = 4
        case null = 5

        /// - Parameter code: As SQLite gives it; what is none of its classes is `null`.
        @inlinable @inline(__always)
        init(code: Int32) {
            // The initializer that the compiler makes is a call, which every column would pay.
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
    public init(nilLiteral: ()) { self = .null }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(stringLiteral value: String) { self = .text(value) }
}
