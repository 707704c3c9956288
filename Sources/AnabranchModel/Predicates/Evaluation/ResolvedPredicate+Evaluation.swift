package import AnabranchReplication

extension ResolvedPredicate {
    /// Returns true if the predicate holds for the subject.
    ///
    /// The subject must be of the entity for which the predicate was resolved.
    ///
    /// - Throws: Errors of the subject.
    package func evaluate(with subject: any PredicateSubject) throws -> Bool {
        try PredicateEvaluation(scopes: [subject]).holds(self)
    }
}

extension ResolvedSort {
    /// Orders two subjects by this key.
    package func order(
        _ left: any PredicateSubject, _ right: any PredicateSubject
    ) throws -> ValueOrder.Result {
        order(ofKeys: try key(of: left), try key(of: right))
    }

    /// The sort key of a subject; a text is folded by the options.
    package func key(of subject: any PredicateSubject) throws -> PropertyValue {
        try PredicateEvaluation(scopes: [subject]).sortValue(self)
    }

    /// Orders two sort keys; a missing value comes first in ascending order.
    package func order(ofKeys left: PropertyValue, _ right: PropertyValue) -> ValueOrder.Result {
        let ascending: ValueOrder.Result
        switch (left.isNull, right.isNull) {
        case (true, true): return .equal
        case (true, false): ascending = .less
        case (false, true): ascending = .greater
        case (false, false): ascending = ValueOrder.compare(left, right) ?? .equal
        }
        guard !isAscending else { return ascending }
        return ascending == .less ? .greater : ascending == .greater ? .less : .equal
    }
}

struct PredicateEvaluation {
    /// The evaluated object, then one element for each enclosing collection.
    let scopes: [any PredicateSubject]

    func holds(_ predicate: ResolvedPredicate) throws -> Bool {
        switch predicate {
        case .constant(let isTrue): return isTrue
        case .conjunction(let parts): return try parts.allSatisfy { try holds($0) }
        case .disjunction(let parts): return try parts.contains { try holds($0) }
        case .negation(let inner): return try !holds(inner)
        case .comparison(let left, let relation, let right, let options):
            if left.isObject || right.isObject { return try identity(left) == identity(right) }
            return relation.holds(try value(left), try value(right), options)
        case .membership(let operand, let list, let options):
            return try isMember(operand, list, options)
        case .text(let left, let relation, let right, let options):
            return try relation.holds(try value(left), try value(right), options)
        case .matches(let operand, let expression):
            return try value(operand).text.map { try expression.matches($0) } ?? false
        case .exists(let collection, let inner):
            return try elements(of: collection)?.contains { try entering($0).holds(inner) } ?? false
        case .entity(let path, let entities):
            return try object(path).map { entities.contains($0.predicateEntity) } ?? false
        case .search(let search):
            return try object(search.object)?.predicateFinds(search) ?? false
        }
    }

    func sortValue(_ sort: ResolvedSort) throws -> PropertyValue {
        if case .record(let path) = sort.operand {
            return try object(path)?.predicateReference.map { .integer($0.record) } ?? .null
        }
        return try value(sort.operand).folded(sort.options)
    }

    private func entering(_ element: any PredicateSubject) -> PredicateEvaluation {
        PredicateEvaluation(scopes: scopes + [element])
    }

    private func object(_ path: ObjectPath) throws -> (any PredicateSubject)? {
        var current: any PredicateSubject = scopes[path.scope]
        for step in path.steps {
            guard case .subject(let next?) = try current.predicateValue(of: .relationship(step))
            else { return nil }
            current = next
        }
        return current
    }

    private func elements(of collection: ResolvedCollection) throws -> [any PredicateSubject]? {
        guard let owner = try object(collection.owner) else { return nil }
        if case .attribute(let attribute) = collection.property {
            return try Self.distinct(owner.predicateValues(of: attribute)).map {
                HeldValueSubject(predicateEntity: owner.predicateEntity, value: $0)
            }
        }
        let content = try owner.predicateValue(of: collection.property)
        if case .subjects(let elements) = content { return elements }
        return []
    }

    private func value(_ operand: ResolvedOperand) throws -> PropertyValue {
        switch operand {
        case .constant(let value): return value
        case .object, .record: return .null
        case .aggregate:
            throw FetchPredicateError(
                .notEvaluable, entity: scopes[0].predicateEntity.name,
                "Can't compute a value of a group from one object.")
        case .relevance, .snippet:
            throw FetchPredicateError(
                .notEvaluable, entity: scopes[0].predicateEntity.name,
                "Can't compute the relevance of an object in memory, or show a part of its text, "
                    + "because only a search in a store knows it.")
        case .attribute(let path, let attribute):
            guard let object = try object(path),
                case .value(let value) = try object.predicateValue(of: .attribute(attribute))
            else { return .null }
            return value
        case .count(let collection, let filter):
            guard let elements = try elements(of: collection) else { return .null }
            guard let filter else { return .integer(Int64(elements.count)) }
            let count = try elements.count { try entering($0).holds(filter) }
            return .integer(Int64(count))
        case .function(let function, let arguments, let type):
            return function(try arguments.map { try value($0) }, as: type)
        case .reduction(let reduction, let elements, _):
            guard let values = try values(of: elements) else { return .null }
            return reduction(values, isDecimal: elements.value.type == .decimal)
        case .listReduction(let reduction, let operands, let type):
            return reduction(try operands.map { try value($0) }, isDecimal: type == .decimal)
        case .conditional(let predicate, let first, let second, _):
            return try value(try holds(predicate) ? first : second)
        case .element(let collection, let place, let inner):
            return try element(of: collection, at: place).map { try entering($0).value(inner) }
                ?? .null
        }
    }

    private func element(
        of collection: ResolvedCollection, at place: ElementPlace
    ) throws -> (any PredicateSubject)? {
        let elements = try elements(of: collection) ?? []
        switch place {
        case .last: return elements.last
        case .fromStart(let index): return elements.indices.contains(index) ? elements[index] : nil
        }
    }

    /// The values of elements; `nil` if the object that has the first collection is missing.
    private func values(of elements: ResolvedElements) throws -> [PropertyValue]? {
        var values: [PropertyValue] = []
        let exists = try collect(elements.selections[...], elements.value, into: &values)
        guard exists else { return nil }
        return elements.isDistinct ? Self.distinct(values.filter { !$0.isNull }) : values
    }

    /// - Returns: False if the object that has the first collection is missing.
    private func collect(
        _ selections: ArraySlice<ResolvedSelection>, _ operand: ResolvedOperand,
        into values: inout [PropertyValue]
    ) throws -> Bool {
        guard let selection = selections.first else {
            // Objects are only counted.
            values.append(operand.isObject ? .bool(true) : try value(operand))
            return true
        }
        guard let elements = try elements(of: selection.collection) else { return false }
        for element in elements {
            let inner = entering(element)
            if let filter = selection.filter, try !inner.holds(filter) { continue }
            _ = try inner.collect(selections.dropFirst(), operand, into: &values)
        }
        return true
    }

    private static func distinct(_ values: [PropertyValue]) -> [PropertyValue] {
        let sorted = values.filter { !$0.isNull }
            .sorted { ValueOrder.compare($0, $1) == .less }
        let distinct = sorted.indices.filter { index in
            index == 0 || ValueOrder.compare(sorted[index - 1], sorted[index]) != .equal
        }.map { sorted[$0] }
        return sorted.count < values.count ? distinct + [.null] : distinct
    }

    /// The object that an operand refers to, or nothing.
    private enum Identity: Equatable {
        case missing
        /// An object; the reference is `nil` if the object has none.
        case object(PredicateObjectReference?)
    }

    private func identity(_ operand: ResolvedOperand) throws -> Identity {
        switch operand {
        case .record(let path):
            return try object(path).map { .object($0.predicateReference) } ?? .missing
        case .object(let reference): return .object(reference)
        case .conditional(let predicate, let first, let second, _):
            return try identity(try holds(predicate) ? first : second)
        case .element(let collection, let place, let inner):
            return try element(of: collection, at: place).map { try entering($0).identity(inner) }
                ?? .missing
        case .constant, .attribute, .count, .function, .reduction, .listReduction, .aggregate,
            .relevance, .snippet:
            return .missing
        }
    }

    private func isMember(
        _ operand: ResolvedOperand, _ list: ResolvedList, _ options: ComparisonOptions
    ) throws -> Bool {
        if operand.isObject {
            guard case .object(let reference) = try identity(operand) else {
                return list.containsNull
            }
            return reference.map(list.objects.contains) ?? false
        }
        let value = try value(operand)
        if value.isNull { return list.containsNull }
        if list.values.contains(value) { return true }
        let isAttribute = if case .attribute = operand { true } else { false }
        // Values of an attribute have one case, and only the two zeros of that case are equal.
        if isAttribute, value.text == nil || options.isEmpty, !value.isZero { return false }
        return list.values.contains { ResolvedRelation.equal.holds(value, $0, options) }
    }
}

extension PropertyValue {
    fileprivate var isZero: Bool {
        switch self {
        case .double(let number), .date(let number): number == 0
        default: false
        }
    }
}
