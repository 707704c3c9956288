/// The functions that a format may call.
enum PredicateFunction {
    /// The names without the last colon.
    ///
    /// Source: the documented selectors of NSExpression's `init(forFunction:arguments:)`.
    static let names: Set<String> = [
        "sum", "count", "min", "max", "average", "median", "mode", "stddev", "add:to",
        "from:subtract", "multiply:by", "divide:by", "modulus:by", "sqrt", "log", "ln",
        "raise:toPower", "exp", "floor", "ceiling", "abs", "trunc", "uppercase", "lowercase",
        "canonical", "length", "random", "randomn", "now", "bitwiseAnd:with", "bitwiseOr:with",
        "bitwiseXor:with", "leftshift:by", "rightshift:by", "onesComplement", "noindex",
        "distanceToLocation:fromLocation",
    ]
}
