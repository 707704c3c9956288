import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import Foundation

/// The SQL functions of computed values, which call those of predicates in memory.
enum ValueFunctions {
    /// Defines the functions.
    ///
    /// - `ab_add(kinds, left, right)` and so on for each ``ValueFunction``. Kinds are letters of
    ///   ``ArgumentKind``, one for the result and one for each argument.
    /// - `ab_reduce_sum(kind, value)` and so on for each ``ValueReduction`` are aggregates, and
    ///   `ab_reduce_sum_m` and so on are those of decimals. `ab_list(reduction, kinds, …)` is the
    ///   same of its arguments.
    /// - `ab_sum_of_halves(upper, lower)` is the sum of integers, from the sums of their upper and
    ///   lower 32 bits, and `ab_average_of_halves(upper, lower, count)` their mean.
    /// - `ab_order(kinds, left, right)` is −1, 0 or 1 for the order of two numbers, and NULL if one
    ///   is missing. `ab_equal(kinds, left, right)` is 1 or 0, and two missing ones are equal.
    static func define(on connection: Connection) throws {
        for function in ValueFunction.allCases {
            try connection.createFunction(
                function.sqlName, argumentCount: nil, traits: [.deterministic, .innocuous]
            ) { arguments in
                let kinds = arguments.kinds(at: 0)
                let values = arguments.values(from: 1, as: kinds.letters.dropFirst())
                return sqliteValue(function(values, as: kinds.isDecimal ? .decimal : .double))
            }
        }
        try connection.createFunction(
            "ab_list", argumentCount: nil, traits: [.deterministic, .innocuous]
        ) { arguments in
            let reduction = ValueReduction(rawValue: arguments.string(at: 0)) ?? .count
            let kinds = arguments.kinds(at: 1)
            let values = arguments.values(from: 2, as: kinds.letters.dropFirst())
            return sqliteValue(reduction(values, isDecimal: kinds.isDecimal))
        }
        let kinds = ValueReduction.allCases.flatMap { [($0, false), ($0, true)] }
        for (reduction, isDecimal) in kinds {
            try connection.createAggregate(
                reduction.sqlName(isDecimal: isDecimal), argumentCount: 2,
                traits: [.deterministic, .innocuous],
                initial: { ReductionState(reduction, isDecimal: isDecimal) },
                step: { $0.add($1.value(at: 1, as: $1.kind(at: 0))) },
                result: { sqliteValue($0.result) })
        }
        try defineHalves(on: connection)
        try connection.createFunction(
            "ab_order", argumentCount: 3, traits: [.deterministic, .innocuous]
        ) { arguments in
            let values = arguments.values(from: 1, as: arguments.kinds(at: 0).letters[...])
            return switch ValueOrder.compare(values[0], values[1]) {
            case .less: .integer(-1)
            case .equal: .integer(0)
            case .greater: .integer(1)
            case nil: .null
            }
        }
        try connection.createFunction(
            "ab_equal", argumentCount: 3, traits: [.deterministic, .innocuous]
        ) { arguments in
            let values = arguments.values(from: 1, as: arguments.kinds(at: 0).letters[...])
            let areMissing = values[0].isNull && values[1].isNull
            let areEqual = ValueOrder.compare(values[0], values[1]) == .equal
            return .integer(areMissing || areEqual ? 1 : 0)
        }
    }

    /// A value as a column holds it. One of a later format becomes bytes that equal no value.
    static func column(of value: PropertyValue) -> SQLiteValue {
        switch value {
        case .group, .unknown:
            var writer = ByteWriter()
            writer.append(tagged: value)
            return .blob(writer.bytes)
        default: return sqliteValue(value)
        }
    }

    private static func defineHalves(on connection: Connection) throws {
        func sum(_ arguments: FunctionArguments) -> Int128 {
            (Int128(arguments.int64(at: 0)) << 32) + Int128(arguments.int64(at: 1))
        }
        try connection.createFunction(
            "ab_sum_of_halves", argumentCount: 2, traits: [.deterministic, .innocuous]
        ) { arguments in
            sqliteValue(ValueReduction.sum(of: sum(arguments)))
        }
        try connection.createFunction(
            "ab_average_of_halves", argumentCount: 3, traits: [.deterministic, .innocuous]
        ) { arguments in
            sqliteValue(
                ValueReduction.average(of: sum(arguments), count: Int(arguments.int64(at: 2))))
        }
    }

    private static func sqliteValue(_ value: PropertyValue) -> SQLiteValue {
        switch value {
        case .bool(let flag): .integer(flag ? 1 : 0)
        case .integer(let number): .integer(number)
        case .double(let number), .date(let number):
            number.isNaN ? .text("NaN") : .real(number)
        case .decimal(let number): .text(number.description)
        case .string(let text), .uri(let text): .text(text)
        case .data(let data): .blob([UInt8](data))
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
        case .null, .reference, .group, .unknown: .null
        }
    }
}

/// The kinds of a function's arguments, which SQLite keeps between the rows of a statement.
private final class ReadKinds {
    let letters: [ArgumentKind]

    init(_ letters: [ArgumentKind]) { self.letters = letters }

    /// True if the result, which has the first letter, is a decimal.
    var isDecimal: Bool { letters.first == .decimal }
}

extension FunctionArguments {
    fileprivate func kind(at index: Int) -> ArgumentKind {
        withUTF8(at: index) { ArgumentKind(letter: $0.first ?? 0) }
    }

    /// The values of the arguments from an index on.
    fileprivate func values(from start: Int, as kinds: ArraySlice<ArgumentKind>) -> [PropertyValue]
    {
        zip(start..<count, kinds).map { value(at: $0, as: $1) }
    }

    /// The letters in an argument, which are read once for a statement.
    fileprivate func kinds(at index: Int) -> ReadKinds {
        derived(from: index) {
            ReadKinds(withUTF8(at: index) { $0.map { ArgumentKind(letter: $0) } })
        }
    }

    fileprivate func value(at index: Int, as kind: ArgumentKind) -> PropertyValue {
        switch (kind, type(at: index)) {
        case (_, .null): .null
        case (.number, .integer): .integer(int64(at: index))
        case (.number, .real): .double(double(at: index))
        case (.number, .text): .double(.nan)
        case (.date, .text): .date(.nan)
        case (.date, _): .date(double(at: index))
        case (.decimal, _): ExactDecimal(string(at: index)).map(PropertyValue.decimal) ?? .null
        case (.text, _): .string(string(at: index))
        case (.uuid, _): uuid(at: index)
        case (.data, _): .data(withBytes(at: index) { Data($0) })
        case (.number, .blob): .null
        }
    }

    private func uuid(at index: Int) -> PropertyValue {
        withBytes(at: index) {
            $0.count == 16 ? .uuid(UUID(uuid: $0.loadUnaligned(as: uuid_t.self))) : .null
        }
    }
}
