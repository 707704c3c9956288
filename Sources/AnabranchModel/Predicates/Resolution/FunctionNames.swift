/// The functions and collection operators by their names in a format.
enum FunctionNames {
    /// The functions of values, named without the last colon.
    static let functions: [String: ValueFunction] = [
        "add:to": .add, "from:subtract": .subtract, "multiply:by": .multiply,
        "divide:by": .divide, "modulus:by": .modulus, "raise:toPower": .power,
        "bitwiseAnd:with": .bitwiseAnd, "bitwiseOr:with": .bitwiseOr,
        "bitwiseXor:with": .bitwiseExclusiveOr, "leftshift:by": .shiftLeft,
        "rightshift:by": .shiftRight, "onesComplement": .complement, "abs": .absolute,
        "ceiling": .ceiling, "floor": .floor, "trunc": .truncate, "round": .round,
        "sqrt": .squareRoot, "exp": .exponential, "log": .logarithm, "ln": .naturalLogarithm,
        "uppercase": .uppercase, "lowercase": .lowercase, "canonical": .canonical,
        "length": .length, "year:in": .year, "month:in": .month, "day:in": .day,
    ]

    /// The functions of one collection.
    static let reductions: [String: ValueReduction] = [
        "sum": .sum, "count": .count, "min": .minimum, "max": .maximum, "average": .average,
        "median": .median, "mode": .mode, "stddev": .standardDeviation,
    ]

    /// The collection operators that are followed by an attribute, named without the `@`.
    static let operators: [String: ValueReduction] = [
        "sum": .sum, "avg": .average, "average": .average, "min": .minimum, "max": .maximum,
    ]
}
