import AnabranchReplication

// Resolves collection operators, indexes, and functions of collections.

extension PredicateResolver {
    /// Resolves a key path with a collection operator or an index.
    func value(
        _ root: FetchExpression?, _ steps: [PathStep], _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        guard let place = steps.firstIndex(where: { !$0.isKey }) else {
            return try operand(side(expression))
        }
        if let relevance = try relevance(root, steps, expression) { return relevance }
        let collection = prefix(root, steps[..<place], expression)
        let rest = Array(steps[(place + 1)...])
        switch steps[place] {
        case .key: return try operand(side(expression))
        case .size: return try counted(collection, rest, isDistinct: nil, expression)
        case .first: return try element(of: collection, .fromStart(0), rest, expression)
        case .last: return try element(of: collection, .last, rest, expression)
        case .index(let index):
            guard case .constant(.integer(let number)) = try operand(side(index)), number >= 0
            else {
                throw error(
                    .notEvaluable, index,
                    "Can't use '\(index)' as an index because it is no whole number from 0.")
            }
            return try element(of: collection, .fromStart(Int(clamping: number)), rest, expression)
        case .collectionOperator(let name):
            return try applied(name, to: collection, rest, expression)
        }
    }

    private func prefix(
        _ root: FetchExpression?, _ steps: ArraySlice<PathStep>, _ expression: FetchExpression
    ) -> FetchExpression {
        if steps.isEmpty {
            return root ?? FetchExpression(.evaluatedObject, column: expression.column)
        }
        return FetchExpression(.path(root, Array(steps)), column: expression.column)
    }

    private func applied(
        _ name: String, to collection: FetchExpression, _ rest: [PathStep],
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        if name == "count" {
            return try counted(collection, rest, isDistinct: nil, expression)
        }
        if let reduction = FunctionNames.operators[name] {
            guard !rest.isEmpty else {
                throw error(
                    .notEvaluable, expression, key: "@" + name,
                    "Can't evaluate @\(name) because no attribute follows it; write "
                        + "\(collection).@\(name).size for an attribute 'size'.")
            }
            return try reduced(reduction, collection, rest, expression)
        }
        guard PathStep.unions.contains(name) else { throw unknownOperator(name, expression) }
        let isCount = rest.last == .collectionOperator("count") || rest.last == .size
        guard isCount, rest.count > 1 else {
            throw error(
                .notEvaluable, expression, key: "@" + name,
                "Can't compare @\(name) with a single value because it is a collection: use IN, "
                    + "ANY, or @count behind it.")
        }
        return try counted(
            collection, rest.dropLast(), isDistinct: name == "distinctUnionOfObjects", expression)
    }

    /// Collection operators of collections of collections, and of dictionaries.
    private static let foreignOperators: Set<String> = [
        "distinctUnionOfArrays", "unionOfArrays", "distinctUnionOfSets", "allKeys", "allValues",
    ]

    private func unknownOperator(
        _ name: String, _ expression: FetchExpression
    ) -> FetchPredicateError {
        guard Self.foreignOperators.contains(name) else {
            return error(
                .unknownCollectionOperator, expression, key: "@" + name,
                "Can't find a collection operator @\(name); for an argument as key, write %K.")
        }
        return error(
            .notEvaluable, expression, key: "@" + name,
            "Can't evaluate @\(name) because no property holds arrays or dictionaries.")
    }
}

// MARK: Counts and reductions

extension PredicateResolver {
    /// - Parameter isDistinct: Whether equal values at the end of `steps` count once; `nil` counts
    ///   the elements themselves.
    private func counted(
        _ collection: FetchExpression, _ steps: [PathStep], isDistinct: Bool?,
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        if isDistinct == nil, !steps.isEmpty {
            throw error(
                .notARelationship, expression, key: PathCursor.text(steps[0]),
                "Can't follow a key path after @count, which is a number.")
        }
        if case .constant(.collection(let elements)) = try side(collection) {
            return .constant(.integer(Int64(elements.count)))
        }
        if case .list(let elements) = try side(collection) {
            return .constant(.integer(Int64(elements.count)))
        }
        if isDistinct == nil, let values = try heldValues(self.side(collection)) {
            return .count(values.selections[0].collection, nil)
        }
        guard let side = try self.collection(collection) else {
            throw notACollection(collection, expression)
        }
        var counts: [ResolvedOperand] = []
        for part in side.parts {
            let part = try part.followed(by: steps, in: self)
            counts.append(try count(part, isDistinct: isDistinct, expression))
        }
        guard counts.count > 1 else { return counts[0] }
        guard isDistinct != true else { throw notOfUnions("@distinctUnionOfObjects", expression) }
        return .listReduction(.sum, counts, .integer64)
    }

    private func count(
        _ part: CollectionSide.Part, isDistinct: Bool?, _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        guard let isDistinct else {
            guard part.element.steps.isEmpty else {
                throw error(
                    .notEvaluable, expression,
                    "Can't count '\(expression)' because the values may be equal; write "
                        + "@unionOfObjects or @distinctUnionOfObjects before the attribute.")
            }
            if part.selections.count == 1 {
                return .count(part.selections[0].collection, part.selections[0].filter)
            }
            let value = ResolvedOperand.record(ObjectPath(scope: part.element.scope))
            let elements = ResolvedElements(
                selections: part.selections, value: value, isDistinct: false)
            return .reduction(.count, elements, .integer64)
        }
        let value = try inside(part.selections.count).operand(.path(part.element))
        let elements = ResolvedElements(
            selections: part.selections, value: value, isDistinct: isDistinct)
        return .reduction(.count, elements, .integer64)
    }

    private func notACollection(
        _ collection: FetchExpression, _ expression: FetchExpression
    ) -> FetchPredicateError {
        if case .evaluatedObject = collection.form {
            return error(
                .notACollection, expression,
                "Can't evaluate '\(expression)' because the object itself is no collection.")
        }
        return error(
            .notACollection, expression,
            "Can't evaluate '\(expression)' because '\(collection)' is no collection.")
    }

    private func notOfUnions(_ name: String, _ expression: FetchExpression) -> FetchPredicateError {
        error(
            .notEvaluable, expression,
            "Can't evaluate \(name) over a UNION of two relationships; ask for both parts.")
    }

    /// Resolves a reduction of a list, or of the values at the end of a path from each element.
    func reduced(
        _ reduction: ValueReduction, _ collection: FetchExpression, _ steps: [PathStep],
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        switch try side(collection) {
        case .constant(.collection(let constants)) where steps.isEmpty:
            return try reduced(
                reduction, constants.map { FetchExpression(.constant($0)) }, expression)
        case .list(let elements) where steps.isEmpty:
            return try reduced(reduction, elements, expression)
        default: break
        }
        guard let side = try self.collection(collection) else {
            if let aggregate = try aggregate(reduction, of: collection, expression) {
                return aggregate
            }
            throw notACollection(collection, expression)
        }
        if reduction == .count {
            return try counted(collection, steps, isDistinct: nil, expression)
        }
        var results: [ResolvedOperand] = []
        for part in side.parts {
            let part = try part.followed(by: steps, in: self)
            results.append(try reduced(reduction, part, expression))
        }
        guard results.count > 1 else { return results[0] }
        switch reduction {
        case .sum, .minimum, .maximum:
            return .listReduction(reduction, results, results[0].type ?? .double)
        default: throw notOfUnions(reduction.rawValue, expression)
        }
    }

    private func reduced(
        _ reduction: ValueReduction, _ part: CollectionSide.Part, _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        let value = try inside(part.selections.count).operand(.path(part.element))
        let elements = ResolvedElements(
            selections: part.selections, value: value, isDistinct: false)
        return .reduction(reduction, elements, try type(of: reduction, of: [value], expression))
    }

    private func reduced(
        _ reduction: ValueReduction, _ elements: [FetchExpression], _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        var operands: [ResolvedOperand] = []
        for element in elements { operands.append(try operand(side(element))) }
        let values = operands.filter { !$0.isNullConstant }
        let type =
            try values.isEmpty
            ? reduction.type(for: .integer64) ?? .integer64
            : type(of: reduction, of: values, expression)
        let constants = operands.compactMap(\.constant)
        guard constants.count < operands.count else {
            return .constant(reduction(constants, isDecimal: type == .decimal))
        }
        return .listReduction(reduction, operands, type)
    }

    func type(
        of reduction: ValueReduction, of operands: [ResolvedOperand],
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> AttributeType {
        var types = Set(operands.map { $0.type.flatMap { reduction.type(for: $0) } })
        // Integers and doubles are compared and added with each other.
        if types == [.integer64, .double] { types = [.double] }
        if types.count > 1, types.allSatisfy({ $0?.isInteger == true }) { types = [.integer64] }
        guard types.count == 1, let type = types.first ?? nil else {
            throw error(
                .typeMismatch, expression, key: operands.lazy.compactMap(\.key).first,
                "Can't compute '\(expression)' because it has no result for "
                    + operands.map(\.summary).joined(separator: " and ") + ".")
        }
        return type
    }
}

// MARK: Indexes

extension PredicateResolver {
    private func element(
        of collection: FetchExpression, _ place: ElementPlace, _ rest: [PathStep],
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand {
        if let listed = try listed(collection, place) {
            guard rest.isEmpty else {
                return try operand(
                    side(FetchExpression(.path(listed, rest), column: expression.column)))
            }
            return try operand(side(listed))
        }
        guard let side = try self.collection(collection) else {
            throw notACollection(collection, expression)
        }
        guard side.parts.count == 1, side.parts[0].selections.count == 1,
            side.parts[0].selections[0].filter == nil, side.parts[0].element.steps.isEmpty
        else {
            throw error(
                .notEvaluable, expression,
                "Can't ask for a place in '\(collection)' because only an ordered relationship has "
                    + "places.")
        }
        let part = side.parts[0]
        guard part.property.relationship?.isOrdered == true else {
            throw error(
                .notEvaluable, expression, key: part.property.name,
                "Can't ask for a place in \(part.property) because it is not ordered.")
        }
        // The element is a variable that no format can name.
        let name = " \(depth)"
        let inner = inside(binding: name, to: part.element)
        let variable = FetchExpression(.variable(name), column: expression.column)
        let value = try inner.operand(
            inner.side(
                rest.isEmpty
                    ? variable
                    : FetchExpression(.path(variable, rest), column: expression.column)))
        return .element(part.selections[0].collection, place, value)
    }

    /// An element of a list; a missing value behind its end. `nil` if the collection is no list.
    private func listed(
        _ collection: FetchExpression, _ place: ElementPlace
    ) throws(FetchPredicateError) -> FetchExpression? {
        let elements: [FetchExpression]
        switch try side(collection) {
        case .constant(.collection(let constants)):
            elements = constants.map { FetchExpression(.constant($0)) }
        case .list(let list): elements = list
        default: return nil
        }
        let index = if case .fromStart(let index) = place { index } else { elements.count - 1 }
        guard elements.indices.contains(index) else {
            return FetchExpression(.constant(.value(.null)))
        }
        return elements[index]
    }
}
