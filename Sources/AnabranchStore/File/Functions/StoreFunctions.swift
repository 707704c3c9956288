import AnabranchReplication
import AnabranchSQLite

/// The collations and functions that SQL calls, the same on every connection.
enum StoreFunctions {
    static func install(on connection: Connection) throws {
        try PredicateFunctions.define(on: connection)
        try WriteFunctions.define(on: connection)
        try DerivationFunctions.define(on: connection)
        try connection.createCollation("ab_decimal") { left, right in
            compareDecimals(left, right)
        }
    }

    /// Compares numbers by value. Texts that are no numbers come after them, ordered by bytes, so
    /// that the order is total.
    private static func compareDecimals(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int {
        let leftText = String(decoding: left, as: UTF8.self)
        let rightText = String(decoding: right, as: UTF8.self)
        switch (ExactDecimal(leftText), ExactDecimal(rightText)) {
        case (let left?, let right?): return left < right ? -1 : left == right ? 0 : 1
        case (.some, nil): return -1
        case (nil, .some): return 1
        case (nil, nil):
            if left.elementsEqual(right) { return 0 }
            return left.lexicographicallyPrecedes(right) ? -1 : 1
        }
    }
}
