import AnabranchReplication

/// Converts the two sides of a comparison to one type, or throws if they have none.
struct OperandTyping {
    /// Creates an error at the place of the comparison.
    let error:
        (_ code: FetchPredicateError.Code, _ key: String?, _ message: String)
            -> FetchPredicateError

    func operands(
        _ left: ResolvedOperand, _ right: ResolvedOperand
    ) throws(FetchPredicateError) -> (ResolvedOperand, ResolvedOperand) {
        switch (left, right) {
        case (.constant(let value), .constant(let other)):
            guard ValueOrder.areComparable(value, other) else { throw mismatch(left, right) }
            return (left, right)
        case (.constant(let value), _): return (try coerce(value, to: right), right)
        case (_, .constant(let value)): return (left, try coerce(value, to: left))
        default:
            guard Self.areComparable(left, right) else { throw mismatch(left, right) }
            return (left, right)
        }
    }

    private func coerce(
        _ value: PropertyValue, to other: ResolvedOperand
    ) throws(FetchPredicateError) -> ResolvedOperand {
        if value.isNull { return .constant(value) }
        guard let type = other.type, let coerced = ConstantCoercion.coerce(value, to: type) else {
            throw mismatch(other, .constant(value))
        }
        return .constant(coerced)
    }

    private static func areComparable(_ left: ResolvedOperand, _ right: ResolvedOperand) -> Bool {
        guard let own = left.type, let other = right.type else {
            return left.isObject && right.isObject
        }
        return family(own) == family(other)
    }

    private static func family(_ type: AttributeType) -> AttributeType {
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: .double
        case .string, .uri: .string
        case .binary, .transformable: .binary
        case .boolean, .date, .uuid, .undefined: type
        }
    }

    private func mismatch(_ left: ResolvedOperand, _ right: ResolvedOperand) -> FetchPredicateError
    {
        error(
            .typeMismatch, left.key ?? right.key,
            "Can't compare \(left.summary) with \(right.summary) because their types differ.")
    }
}

extension AttributeType {
    var isText: Bool { self == .string || self == .uri }
}

extension ResolvedOperand {
    /// The value of a constant; `nil` for any other operand.
    var constant: PropertyValue? { if case .constant(let value) = self { value } else { nil } }

    /// The key that an error names.
    var key: String? {
        switch self {
        case .attribute(_, let attribute), .snippet(let attribute, _): attribute.name
        case .relevance: "@relevance"
        case .record(let path): path.steps.last?.name
        case .count(let collection, _), .element(let collection, _, _):
            collection.property.name
        case .reduction(_, let elements, _): elements.selections[0].collection.property.name
        case .function(_, let operands, _), .listReduction(_, let operands, _):
            operands.lazy.compactMap(\.key).first
        case .aggregate(_, let operand, _, _): operand.key
        case .conditional(_, let first, let second, _): first.key ?? second.key
        case .constant, .object: nil
        }
    }

    /// The operand as errors call it.
    var summary: String {
        switch self {
        case .attribute(_, let attribute): "\(attribute) (\(attribute.type))"
        case .record(let path): path.steps.last.map { "\($0) (an object)" } ?? "SELF (an object)"
        case .count: "a count"
        case .object: "an object"
        case .constant(let value): "the constant \(PredicateConstant.value(value).format)"
        case .relevance: "the relevance"
        case .function, .reduction, .listReduction, .aggregate, .conditional, .element, .snippet:
            type.map { "a computed value (\($0))" } ?? "a computed object"
        }
    }
}
