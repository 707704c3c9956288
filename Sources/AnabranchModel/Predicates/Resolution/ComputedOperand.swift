import AnabranchReplication
import Foundation

// Resolves the single value that a side or a part of it has.

extension PredicateResolver {
    /// - Throws: ``FetchPredicateError`` if the side is no single value.
    func operand(_ side: ResolverSide) throws(FetchPredicateError) -> ResolvedOperand {
        switch side {
        case .constant(.value(let value)): return .constant(value)
        case .constant(.object(let object)): return .object(object)
        case .constant(.collection), .list:
            throw FetchPredicateError(
                .typeMismatch, entity: entity.name,
                "Can't compare a collection with a single value.")
        case .constant(.fetch):
            throw FetchPredicateError(
                .notEvaluable, entity: entity.name,
                "Can't compare a fetch request itself; FETCH(request, nil, NO) runs it.")
        case .computed(let expression): return try operand(expression)
        case .collection(let expression):
            throw error(
                .quantifierNeeded, expression,
                "Can't compare '\(expression)' with a single value because it is a collection: put "
                    + "ANY, ALL or NONE before the comparison.")
        case .path(let cursor): return try operand(cursor)
        }
    }

    private func operand(_ cursor: PathCursor) throws(FetchPredicateError) -> ResolvedOperand {
        switch try cursor.end() {
        case .attribute(let path, let attribute): return .attribute(path, attribute)
        case .length(let path, let attribute):
            return .function(.length, [.attribute(path, attribute)], .integer64)
        case .record(let path, _): return .record(path)
        case .entity:
            throw cursor.error(
                .notEvaluable, key: "entity",
                "Can't compute with an entity; compare it or its name with constants.")
        case .collection(_, let relationship, _):
            throw cursor.error(
                .quantifierNeeded, key: relationship.name,
                "Can't compare \(relationship) because it is to-many.")
        }
    }

    private func operands(
        _ expressions: [FetchExpression]
    ) throws(FetchPredicateError) -> [ResolvedOperand] {
        var operands: [ResolvedOperand] = []
        for expression in expressions { operands.append(try operand(side(expression))) }
        return operands
    }

    /// Resolves an expression that is neither a constant nor a plain key path.
    private func operand(
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        try spend(expression)
        switch expression.form {
        case .arithmetic(let sign, let left, let right):
            guard let sum = sign.function else { return try operand(side(expression)) }
            return try function(sum, [left, right], expression)
        case .negative(let operand): return try function(.negate, [operand], expression)
        case .complement(let operand): return try function(.complement, [operand], expression)
        case .function(let name, let arguments):
            return try call(name, arguments, expression)
        case .cast(let operand, let type): return try cast(operand, type, expression)
        case .ternary(let condition, let first, let second):
            return try conditional(resolve(condition), first, second, expression)
        case .path(let root, let steps): return try value(root, steps, expression)
        case .message(_, let selector, _):
            throw error(
                .notEvaluable, expression,
                "Can't call the method '\(selector)' with FUNCTION because a store has no methods; "
                    + "call a function by its name, such as uppercase(name).")
        case .fetch:
            throw error(
                .notEvaluable, expression,
                "Can't run FETCH here because only a context that fetches can; give a fetch "
                    + "request as its first argument, and nil as its second.")
        case .assignment:
            throw error(
                .notEvaluable, expression,
                "Can't assign a value in a predicate: it only compares values.")
        case .constant, .evaluatedObject, .variable, .aggregate, .subquery:
            return try operand(side(expression))
        }
    }
}

// MARK: Functions

extension PredicateResolver {
    private func function(
        _ function: ValueFunction, _ arguments: [FetchExpression], _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        try self.function(function, of: operands(arguments), expression)
    }

    private func function(
        _ function: ValueFunction, of operands: [ResolvedOperand], _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        if operands.contains(where: \.isNullConstant) { return .constant(.null) }
        let operands = Self.withDecimals(operands)
        let types = operands.compactMap(\.type)
        guard types.count == operands.count, let type = function.type(for: types) else {
            throw error(
                .typeMismatch, expression, key: operands.lazy.compactMap(\.key).first,
                "Can't compute '\(expression)' because it has no result for "
                    + operands.map(\.summary).joined(separator: " and ") + ".")
        }
        if [.year, .month, .day].contains(function), let zone = operands[1].constant?.text,
            ZonedCalendar.calendar(in: zone) == nil
        {
            throw error(
                .invalidArgument, expression,
                "Can't compute '\(expression)' because there is no time zone '\(zone)'; write one "
                    + "such as 'Europe/Zurich' or 'GMT'.")
        }
        let constants = operands.compactMap(\.constant)
        guard constants.count < operands.count else { return .constant(function(constants)) }
        if function == .toText, types[0] == .float {
            return .function(.floatToText, operands, type)
        }
        return .function(function, operands, type)
    }

    /// Makes the doubles that are written beside decimals decimals too, so that `price * 1.1` is
    /// exact.
    private static func withDecimals(_ operands: [ResolvedOperand]) -> [ResolvedOperand] {
        guard operands.contains(where: { $0.type == .decimal && $0.constant == nil }) else {
            return operands
        }
        return operands.map { operand in
            guard case .constant(let value) = operand,
                let decimal = ConstantCoercion.coerce(value, to: .decimal)
            else { return operand }
            return .constant(decimal)
        }
    }

    private func call(
        _ name: String, _ arguments: [FetchExpression], _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        guard let count = PredicateFunction.argumentCounts[name], count == arguments.count else {
            throw error(
                .syntax, expression,
                "Can't call '\(name)' with \(arguments.count) arguments.")
        }
        if let function = FunctionNames.functions[name] {
            return try self.function(function, arguments, expression)
        }
        if let reduction = FunctionNames.reductions[name] {
            return try reduced(reduction, arguments[0], [], expression)
        }
        switch name {
        case "snippet": return try snippet(arguments, expression)
        case "noindex": return try operand(side(arguments[0]))
        case "now": return .constant(.date(Date().timeIntervalSinceReferenceDate))
        case "random", "randomn":
            throw error(
                .notEvaluable, expression,
                "Can't evaluate '\(name)' because every evaluation would give another result; give "
                    + "the number as an argument.")
        default:
            throw error(
                .notEvaluable, expression,
                "Can't evaluate '\(name)' because no attribute holds a location; compare latitude "
                    + "and longitude.")
        }
    }

    private static let casts: [String: ValueFunction] = [
        "NSNumber": .toNumber, "NSDecimalNumber": .toDecimal, "NSString": .toText,
        "NSDate": .toDate, "NSUUID": .toUUID, "NSURL": .toURI,
    ]

    private func cast(
        _ operand: FetchExpression, _ type: String, _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        guard let function = Self.casts[type] else {
            throw error(
                .notEvaluable, expression,
                "Can't cast to '\(type)': known are "
                    + Self.casts.keys.sorted().joined(separator: ", ") + ".")
        }
        return try self.function(function, [operand], expression)
    }

    private func conditional(
        _ predicate: ResolvedPredicate, _ first: FetchExpression, _ second: FetchExpression,
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        let own = try operand(side(first))
        let other = try operand(side(second))
        if case .constant(let holds) = predicate { return holds ? own : other }
        if own.isObject || other.isObject {
            guard own.isObject || own.isNullConstant, other.isObject || other.isNullConstant else {
                throw differs(own, other, expression)
            }
            return .conditional(predicate, own, other, nil)
        }
        guard let type = own.type ?? other.type else { return .constant(.null) }
        let typing = OperandTyping(error: { code, key, message in
            self.error(code, expression, key: key, message)
        })
        let (left, right) = try typing.operands(own, other)
        let isMixed = left.type == .decimal || right.type == .decimal
        guard !isMixed || left.type == right.type || left.isNullConstant || right.isNullConstant
        else { throw differs(own, other, expression) }
        // A constant has taken the type of the other side.
        let given = left.constant == nil ? left.type : right.type
        return .conditional(predicate, left, right, given ?? left.type ?? type)
    }

    private func differs(
        _ own: ResolvedOperand, _ other: ResolvedOperand, _ expression: FetchExpression
    ) -> FetchPredicateError {
        error(
            .typeMismatch, expression, key: own.key ?? other.key,
            "Can't choose between \(own.summary) and \(other.summary) because their types differ.")
    }
}

extension ArithmeticOperator {
    /// The function of an operator of numbers; `nil` for an operator of collections.
    fileprivate var function: ValueFunction? {
        switch self {
        case .add: .add
        case .bitwiseOr: .bitwiseOr
        case .bitwiseExclusiveOr: .bitwiseExclusiveOr
        case .bitwiseAnd: .bitwiseAnd
        case .shiftLeft: .shiftLeft
        case .shiftRight: .shiftRight
        case .subtract: .subtract
        case .multiply: .multiply
        case .divide: .divide
        case .power: .power
        case .union, .intersection, .difference: nil
        }
    }
}
