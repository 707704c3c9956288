import AnabranchSQLite
import Foundation

/// The SQL functions that derived attributes are computed by.
enum DerivationFunctions {
    /// Defines `ab_case(text, 'l' | 'u')`, `ab_sum(numbers, 'i' | 'd')` of numbers between commas,
    /// and `ab_writers(ab_version, ab_writes)`, a JSON array of positions in the log.
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
            return .text(StoreReader.json(writes.positions.sorted()))
        }
    }

    /// What no 64-bit integer holds is the greatest or the least.
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

    /// Rounded to 38 digits where it has more.
    private static func decimalSum(_ numbers: String) -> SQLiteValue {
        var sum = Decimal(0)
        for number in numbers.split(separator: ",") {
            if let number = Decimal(string: String(number)) { sum += number }
        }
        return sum.isNaN ? .null : .text("\(sum)")
    }
}
