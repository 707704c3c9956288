import AnabranchReplication

// Comparisons of `SELF.entity` and `SELF.entity.name` with constants.

extension LeafComparison {
    /// Resolves a comparison of an object's entity, or of its name, into the set of entities for
    /// which it holds.
    ///
    /// - Returns: `nil` if neither side is an entity.
    func entityComparison(
        _ left: ResolverSide, _ right: ResolverSide
    ) throws(FetchPredicateError) -> ResolvedPredicate? {
        if let (path, entity) = try self.entity(left) {
            try checkConstant(right)
            return try resolved(path, entity) { name throws(FetchPredicateError) in
                try resolve(name, right)
            }
        }
        if let (path, entity) = try self.entity(right) {
            try checkConstant(left)
            return try resolved(path, entity) { name throws(FetchPredicateError) in
                try resolve(left, name)
            }
        }
        return nil
    }

    private func checkConstant(_ side: ResolverSide) throws(FetchPredicateError) {
        guard case .constant = side else {
            throw error(
                .notEvaluable, key: "entity",
                "Can't compare an entity with anything but constants.")
        }
    }

    private func entity(
        _ side: ResolverSide
    ) throws(FetchPredicateError) -> (ObjectPath, EntityDescription)? {
        guard case .path(let cursor) = side,
            case .entity(let path, let entity) = try cursor.end()
        else { return nil }
        return (path, entity)
    }

    private func resolved(
        _ path: ObjectPath, _ entity: EntityDescription,
        _ compare: (ResolverSide) throws(FetchPredicateError) -> ResolvedPredicate
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        func holds(_ name: PropertyValue) throws(FetchPredicateError) -> Bool {
            // A comparison of two constants has one result for all objects.
            try compare(.constant(.value(name))).constant == true
        }
        var entities: Set<EntityDescription> = []
        for kind in entity.hierarchy where !kind.isAbstract {
            if try holds(.string(kind.name)) { entities.insert(kind) }
        }
        let test = ResolvedPredicate.entity(path, entities)
        guard !path.steps.isEmpty, try holds(.null) else { return test }
        return .disjunction([
            test, .comparison(.record(path), .equal, .constant(.null), []),
        ])
    }
}

extension ResolvedPredicate {
    /// The result if it is the same for every object; `nil` if it is not known.
    fileprivate var constant: Bool? {
        switch self {
        case .constant(let holds): holds
        case .negation(let inner): inner.constant.map { !$0 }
        case .conjunction(let parts):
            parts.allSatisfy { $0.constant != nil } ? parts.allSatisfy { $0.constant == true } : nil
        case .disjunction(let parts):
            parts.allSatisfy { $0.constant != nil } ? parts.contains { $0.constant == true } : nil
        case .comparison, .membership, .text, .matches, .search, .exists, .entity: nil
        }
    }
}

extension EntityDescription: PredicateArgument {
    /// The name of the entity as a constant, with which `SELF.entity` compares.
    public var predicateExpression: FetchExpression { name.predicateExpression }
}
