import AnabranchSQLite
import Foundation

/// The SQL functions that compute derived attributes.
enum DerivationFunctions {
    /// Defines `ab_case`, `ab_sum` and `ab_writers`.
    ///
    /// - `ab_case(text, 'l' | 'u')` changes the case of a text.
    /// - `ab_sum(numbers, 'i' | 'd')` adds numbers that are separated by commas.
    /// - `ab_writers(ab_version, ab_writes)` is a JSON array of positions in the log.
    static func define(on connection: Connection) throws {
        try connection.createFunction(
            "ab_case", argumentCount: 2, traits: [.deterministic, .innocuous]
        ) { arguments in
            guard !arguments.isNull(at: 0) else { return .null }
            let text = arguments.string(at: 0)
            return .text(arguments.string(at: 1) == "u" ? text.uppercased() : text.lowercased())
        }
        try connection.createFunction(
            "ab_sum", argumentCount: 2, traits: [.deterministic, .innocuous]
        ) { arguments in
            let numbers = arguments.isNull(at: 0) ? "" : arguments.string(at: 0)
            return arguments.string(at: 1) == "d" ? decimalSum(numbers) : integerSum(numbers)
        }
        try connection.createFunction(
            "ab_writers", argumentCount: 2, traits: [.deterministic, .innocuous]
        ) { arguments in
            let version = RowVersion(arguments.int64(at: 0))
            let writes =
                arguments.isNull(at: 1)
                ? try RowWrites(version, nil)
                : try arguments.withBytes(at: 1) { try RowWrites(version, $0) }
            return .text(SQL.json(writes.positions.sorted()))
        }
    }

    /// Adds integers; a sum beyond 64 bits becomes the greatest or the least integer.
    private static func integerSum(_ numbers: String) -> SQLiteValue {
        var (high, low) = (Int64(0), UInt64(0))
        for number in numbers.split(separator: ",") {
            guard let number = Int64(number) else { continue }
            let (sum, carries) = low.addingReportingOverflow(UInt64(bitPattern: number))
            low = sum
            high += (number < 0 ? -1 : 0) + (carries ? 1 : 0)
        }
        let sum = Int64(bitPattern: low)
        if high == (sum < 0 ? -1 : 0) { return .integer(sum) }
        return .integer(high < 0 ? .min : .max)
    }

    /// Adds decimals; a sum of more than 38 digits is rounded.
    private static func decimalSum(_ numbers: String) -> SQLiteValue {
        var sum = Decimal(0)
        for number in numbers.split(separator: ",") {
            if let number = Decimal(string: String(number)) { sum += number }
        }
        return sum.isNaN ? .null : .text("\(sum)")
    }
}
