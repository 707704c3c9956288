package import AnabranchReplication

extension FetchPredicate {
    /// Returns true if the predicate holds for one object.
    ///
    /// Each call checks the predicate against the object's entity. For many objects, resolve it
    /// once and evaluate the ``ResolvedPredicate``.
    ///
    /// - Parameter variables: Values of `$variables`, named without the `$`.
    ///
    /// - Throws: ``FetchPredicateError``, or an error of the subject.
    public func evaluate(
        with subject: any PredicateSubject, variables: [String: (any PredicateArgument)?] = [:]
    ) throws -> Bool {
        try resolved(for: subject.predicateEntity, variables: variables).evaluate(with: subject)
    }
}

extension ResolvedPredicate {
    /// Returns true if the predicate holds for the subject.
    ///
    /// The subject must be of the entity for which the predicate was resolved.
    ///
    /// - Throws: Errors of the subject.
    public func evaluate(with subject: any PredicateSubject) throws -> Bool {
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
    package func key(of subject: any PredicateSubject) throws -> Value {
        try PredicateEvaluation(scopes: [subject]).sortValue(self)
    }

    /// Orders two sort keys; a missing value comes first in ascending order.
    package func order(ofKeys left: Value, _ right: Value) -> ValueOrder.Result {
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
            if case .record(let path) = left { return try equals(object(path), right) }
            if case .record(let path) = right { return try equals(object(path), left) }
            return relation.holds(try value(left), try value(right), options)
        case .membership(let operand, let list, let options):
            return try isMember(operand, list, options)
        case .text(let left, let relation, let right, let options):
            return relation.holds(try value(left), try value(right), options)
        case .exists(let collection, let inner):
            return try elements(of: collection)?.contains { try entering($0).holds(inner) } ?? false
        }
    }

    func sortValue(_ sort: ResolvedSort) throws -> Value {
        if case .record(let path) = sort.operand {
            return try object(path)?.predicateReference.map { .integer($0.record) } ?? .null
        }
        let value = try value(sort.operand)
        guard !sort.options.isEmpty, let text = value.text else { return value }
        return .string(TextFolding.fold(text, options: sort.options))
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
        let content = try owner.predicateValue(of: .relationship(collection.relationship))
        if case .subjects(let elements) = content { return elements }
        return []
    }

    private func value(_ operand: ResolvedOperand) throws -> Value {
        switch operand {
        case .constant(let value): return value
        case .object, .record: return .null
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
        }
    }

    private func equals(
        _ subject: (any PredicateSubject)?, _ other: ResolvedOperand
    ) throws -> Bool {
        switch other {
        case .record(let path):
            guard let subject, let object = try object(path) else {
                return try subject == nil && object(path) == nil
            }
            return subject.predicateReference == object.predicateReference
        case .object(let reference): return subject?.predicateReference == reference
        case .constant, .attribute, .count: return subject == nil
        }
    }

    private func isMember(
        _ operand: ResolvedOperand, _ list: ResolvedList, _ options: ComparisonOptions
    ) throws -> Bool {
        if case .record(let path) = operand {
            guard let subject = try object(path) else { return list.containsNull }
            return subject.predicateReference.map(list.objects.contains) ?? false
        }
        let value = try value(operand)
        if value.isNull { return list.containsNull }
        if !options.isEmpty, value.text != nil {
            return list.values.contains { ResolvedRelation.equal.holds(value, $0, options) }
        }
        return switch value {
        // The two zeros are equal and have different bits.
        case .double(0): list.values.contains(.double(0)) || list.values.contains(.double(-0.0))
        case .date(0): list.values.contains(.date(0)) || list.values.contains(.date(-0.0))
        default: list.values.contains(value)
        }
    }
}
