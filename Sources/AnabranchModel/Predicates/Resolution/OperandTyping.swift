import AnabranchReplication
import Foundation

/// Converts the two sides of a comparison to one type, or throws if they have none.
struct OperandTyping {
    let leaf: LeafComparison

    /// The kind of a side's values, which decides the values they can be compared with.
    enum Kind: Equatable {
        case attribute(AttributeType)
        case count
        case object
        /// A constant, which takes the other side's type.
        case constant
    }

    func operand(_ side: ResolverSide) throws(FetchPredicateError) -> ResolvedOperand {
        switch side {
        case .constant(.value(let value)): return .constant(value)
        case .constant(.object(let object)): return .object(object)
        case .constant(.collection), .list:
            throw leaf.error(.typeMismatch, "Can't compare a collection with a single value.")
        case .count(let collection, let filter): return .count(collection, filter)
        case .path(let cursor):
            switch try cursor.walk(in: leaf.resolver) {
            case .attribute(let path, let attribute): return .attribute(path, attribute)
            case .record(let path, _): return .record(path)
            case .count(let collection): return .count(collection, nil)
            case .collection(_, let relationship, _):
                throw cursor.error(
                    .quantifierNeeded, key: relationship.name,
                    "Can't compare \(relationship) because it is to-many.")
            }
        }
    }

    func operands(
        _ left: ResolverSide, _ right: ResolverSide
    ) throws(FetchPredicateError) -> (ResolvedOperand, ResolvedOperand) {
        let (left, right) = (try operand(left), try operand(right))
        switch (left, right) {
        case (.constant(let value), .constant(let other)):
            guard ValueOrder.areComparable(value, other) else { throw mismatch(left, right) }
            return (left, right)
        case (.constant(let value), _): return (try coerce(value, to: right), right)
        case (_, .constant(let value)): return (left, try coerce(value, to: left))
        default:
            guard Self.areComparable(left.kind, right.kind) else { throw mismatch(left, right) }
            try checkDecimals(left.kind, right.kind)
            return (left, right)
        }
    }

    private func coerce(
        _ value: Value, to other: ResolvedOperand
    ) throws(FetchPredicateError) -> ResolvedOperand {
        if value.isNull { return .constant(value) }
        switch other.kind {
        case .attribute(let type):
            if let coerced = ConstantCoercion.coerce(value, to: type) { return .constant(coerced) }
        case .count:
            if let coerced = ConstantCoercion.coerce(value, to: .integer64) {
                return .constant(coerced)
            }
        case .object, .constant: break
        }
        throw mismatch(other, .constant(value))
    }

    private static func areComparable(_ left: Kind, _ right: Kind) -> Bool {
        switch (left, right) {
        case (.object, .object): true
        case (.count, .count): true
        case (.count, .attribute(let type)), (.attribute(let type), .count): type.isNumeric
        case (.attribute(let own), .attribute(let other)): family(own) == family(other)
        default: false
        }
    }

    private static func family(_ type: AttributeType) -> AttributeType {
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: .double
        case .string, .uri: .string
        case .binary, .transformable: .binary
        case .boolean, .date, .uuid, .undefined: type
        }
    }

    /// Refuses to compare a decimal attribute with another number: SQL compares the decimal's text.
    private func checkDecimals(_ left: Kind, _ right: Kind) throws(FetchPredicateError) {
        let isDecimal = [left, right].map { $0 == .attribute(.decimal) }
        guard isDecimal[0] != isDecimal[1] else { return }
        throw leaf.error(
            .notSupportedYet,
            "Can't compare a decimal attribute with an attribute of another type yet.")
    }
}

// MARK: Text

extension OperandTyping {
    func isText(_ side: ResolverSide) throws(FetchPredicateError) -> Bool {
        switch try operand(side) {
        case .constant(.string), .constant(.uri): true
        case .attribute(_, let attribute): Self.family(attribute.type) == .string
        default: false
        }
    }

    /// Resolves one side of an operator that compares texts.
    func text(_ side: ResolverSide) throws(FetchPredicateError) -> ResolvedOperand {
        let operand = try operand(side)
        switch operand {
        case .constant(.null), .constant(.string), .constant(.uri): return operand
        case .attribute(_, let attribute) where Self.family(attribute.type) == .string:
            return operand
        default:
            throw leaf.error(
                .typeMismatch, key: operand.key,
                "Can't compare \(operand.summary) with \(leaf.comparison.operator.rawValue) "
                    + "because it is not text.")
        }
    }

    private func mismatch(_ left: ResolvedOperand, _ right: ResolvedOperand) -> FetchPredicateError
    {
        leaf.error(
            .typeMismatch, key: left.key ?? right.key,
            "Can't compare \(left.summary) with \(right.summary) because their types differ.")
    }
}

extension ResolvedOperand {
    var kind: OperandTyping.Kind {
        switch self {
        case .constant: .constant
        case .object, .record: .object
        case .attribute(_, let attribute): .attribute(attribute.type)
        case .count: .count
        }
    }

    fileprivate var key: String? {
        switch self {
        case .attribute(_, let attribute): attribute.name
        case .record(let path): path.steps.last?.name
        case .count(let collection, _): collection.relationship.name
        case .constant, .object: nil
        }
    }

    fileprivate var summary: String {
        switch self {
        case .attribute(_, let attribute): "\(attribute) (\(attribute.type))"
        case .record(let path): path.steps.last.map { "\($0) (an object)" } ?? "SELF (an object)"
        case .count: "a count"
        case .object: "an object"
        case .constant(let value): "the constant \(PredicateConstant.value(value).format)"
        }
    }
}
