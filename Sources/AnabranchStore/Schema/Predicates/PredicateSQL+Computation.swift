import AnabranchModel
import AnabranchReplication

// Computed values. SQLite's own operators are used where they give the same result as the functions
// of `AnabranchModel`: for integers that are stored, given or counted.

extension PredicateSQL {
    mutating func computed(_ operand: ResolvedOperand) throws(FetchPredicateError) -> String {
        switch operand {
        case .function(let function, let operands, let type):
            return try call(function, operands, type)
        case .reduction(let reduction, let elements, _): return try reduced(reduction, elements)
        case .listReduction(let reduction, let operands, let type):
            let kinds = String(([type] + operands.map(\.type)).map { ArgumentKind($0).rawValue })
            return try nested(.function) { writer throws(FetchPredicateError) in
                let arguments = try writer.arguments(operands)
                return "ab_list('\(reduction.rawValue)', '\(kinds)', \(arguments))"
            }
        case .conditional(let predicate, let first, let second, _):
            return try nested(.conditional) { writer throws(FetchPredicateError) in
                let test = try writer.condition(predicate)
                let own = try writer.operand(first, [])
                return "CASE WHEN \(test) THEN \(own) ELSE \(try writer.operand(second, [])) END"
            }
        case .aggregate(let reduction, let operand, let isDistinct, _):
            return try aggregate(reduction, operand, isDistinct: isDistinct)
        case .element(let collection, let place, let value):
            return try element(collection, place, value)
        case .constant, .object, .attribute, .record, .count, .relevance, .snippet:
            return try self.operand(operand, [])
        }
    }

    private mutating func arguments(
        _ operands: [ResolvedOperand]
    ) throws(FetchPredicateError) -> String {
        var arguments: [String] = []
        for operand in operands { arguments.append(try self.operand(operand, [])) }
        return arguments.joined(separator: ", ")
    }

    private mutating func call(
        _ function: ValueFunction, _ operands: [ResolvedOperand], _ type: AttributeType
    ) throws(FetchPredicateError) -> String {
        if let sign = function.sign, operands.allSatisfy(\.isPlainInteger) {
            return try nested(.arithmetic) { writer throws(FetchPredicateError) in
                let left = try writer.operand(operands[0], [])
                return "(\(left) \(sign) \(try writer.operand(operands[1], [])))"
            }
        }
        let kinds = String(operands.map { ArgumentKind($0.type).rawValue })
        let result = ArgumentKind(type).rawValue
        return try nested(.function) { writer throws(FetchPredicateError) in
            let arguments = try writer.arguments(operands)
            return "\(function.sqlName)('\(result)\(kinds)', \(arguments))"
        }
    }

    private mutating func reduced(
        _ reduction: ValueReduction, _ elements: ResolvedElements
    ) throws(FetchPredicateError) -> String {
        let distinct = elements.isDistinct ? "DISTINCT " : ""
        return try reduced(elements.selections) { writer throws(FetchPredicateError) in
            try writer.reduction(
                reduction, of: writer.operand(elements.value, []), type: elements.value.type,
                distinct)
        }
    }

    /// An aggregate function of a value.
    func reduction(
        _ reduction: ValueReduction, of value: String, type: AttributeType?, _ distinct: String
    ) -> String {
        let kind = ArgumentKind(type)
        return switch reduction {
        case .count: "count(\(distinct)\(value))"
        case .minimum: "min(\(value))"
        case .maximum: "max(\(value))"
        default:
            reduction.sqlName(isDecimal: kind == .decimal) + "('\(kind.rawValue)', \(value))"
        }
    }

    private mutating func element(
        _ collection: ResolvedCollection, _ place: ElementPlace, _ value: ResolvedOperand
    ) throws(FetchPredicateError) -> String {
        guard let relationship = collection.property.relationship else { return "NULL" }
        let naming = naming
        let query = try nested(.element, of: relationship) {
            writer throws(FetchPredicateError) in
            let alias = "t\(writer.scopes.count)"
            return try writer.query(
                [ResolvedSelection(collection: collection, filter: nil)],
                { writer throws(FetchPredicateError) in try writer.operand(value, []) },
                suffix: Self.window(
                    naming.listOrder(
                        of: relationship,
                        ListAliases(element: alias, link: "l\(alias)")), place))
        }
        return "(\(query))"
    }

    /// The end of a SELECT of the element in a place.
    private static func window(_ order: [String], _ place: ElementPlace) -> String {
        switch place {
        case .fromStart(let index):
            " ORDER BY \(order.joined(separator: ", ")) LIMIT 1 OFFSET \(index)"
        case .last: " ORDER BY \(order.joined(separator: " DESC, ")) DESC LIMIT 1"
        }
    }

    mutating func entity(
        _ path: ObjectPath, _ entities: Set<EntityDescription>
    ) throws(FetchPredicateError) -> String {
        let alias = try alias(of: path)
        let numbers = entities.compactMap {
            naming.entityNumbers(for: $0, includingSubentities: false)
        }.joined().sorted()
        // A table without numbers has rows of one entity only.
        guard !numbers.isEmpty else { return entities.isEmpty ? "0" : "\(alias).ab_pk IS NOT NULL" }
        return "\(alias).ab_entity IN (\(numbers.map(String.init).joined(separator: ", ")))"
    }

    /// True if one of two numbers is the text of a decimal and the other is not.
    static func haveDifferentForms(_ left: ResolvedOperand, _ right: ResolvedOperand) -> Bool {
        guard let own = left.type, let other = right.type else { return false }
        return (own == .decimal) != (other == .decimal)
    }

    /// A function of two numbers in different forms: `ab_order` or `ab_equal`.
    mutating func call(
        _ name: String, _ left: ResolvedOperand, _ right: ResolvedOperand
    ) throws(FetchPredicateError) -> String {
        let kinds = String([left, right].map { ArgumentKind($0.type).rawValue })
        return try nested(.function) { writer throws(FetchPredicateError) in
            "\(name)('\(kinds)', \(try writer.arguments([left, right])))"
        }
    }
}

extension ValueFunction {
    /// SQLite's operator for integers.
    fileprivate var sign: String? {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .bitwiseAnd: "&"
        case .bitwiseOr: "|"
        default: nil
        }
    }
}

extension ResolvedOperand {
    /// True if SQLite sees an integer or NULL.
    var isPlainInteger: Bool {
        switch self {
        case .constant(.integer), .count: true
        case .attribute(_, let attribute): attribute.type.isInteger || attribute.type == .boolean
        default: false
        }
    }
}
