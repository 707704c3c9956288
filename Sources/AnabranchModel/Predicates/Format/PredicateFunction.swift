/// The functions that a format may call.
enum PredicateFunction {
    /// The number of arguments of each function, by its name without the last colon.
    ///
    /// Source: the documented selectors of NSExpression's `init(forFunction:arguments:)`, and
    /// `round`; `snippet`, `year:in`, `month:in` and `day:in` are Anabranch's own.
    static let argumentCounts: [String: Int] = [
        "add:to": 2, "from:subtract": 2, "multiply:by": 2, "divide:by": 2, "modulus:by": 2,
        "raise:toPower": 2, "abs": 1, "ceiling": 1, "floor": 1, "trunc": 1, "round": 1, "sqrt": 1,
        "exp": 1, "log": 1, "ln": 1, "bitwiseAnd:with": 2, "bitwiseOr:with": 2,
        "bitwiseXor:with": 2, "leftshift:by": 2, "rightshift:by": 2, "onesComplement": 1,
        "uppercase": 1, "lowercase": 1, "canonical": 1, "length": 1, "sum": 1, "count": 1,
        "min": 1, "max": 1, "average": 1, "median": 1, "mode": 1, "stddev": 1, "now": 0,
        "random": 0, "randomn": 1, "noindex": 1, "snippet": 5, "year:in": 2,
        "month:in": 2, "day:in": 2, "distanceToLocation:fromLocation": 2,
    ]
}
