import AnabranchReplication

/// A start and the remaining steps of a key path.
struct PathCursor {
    let scope: Int
    let entity: EntityDescription
    let steps: [PathStep]
    let column: SourceColumn

    enum End {
        case attribute(ObjectPath, AttributeDescription)
        case record(ObjectPath, EntityDescription)
        /// A to-many relationship; `rest` continues from each of its elements.
        case collection(ObjectPath, RelationshipDescription, rest: [PathStep])
        case count(ResolvedCollection)
    }

    /// Follows to-one relationships to the end of the path or to the first to-many.
    func walk(in resolver: PredicateResolver) throws(FetchPredicateError) -> End {
        var current = entity
        var way: [RelationshipDescription] = []
        var remaining = steps[...]
        while let step = remaining.popFirst() {
            guard case .key(let first) = step else { throw unsupported(step) }
            let key = try element(of: first, in: current, takenFrom: &remaining)
            let rest = Array(remaining)
            let property = try property(key, of: current)
            // A path that goes on after an attribute is wrong, whether or not that is stored.
            if property.attribute == nil || rest.isEmpty { try checkStored(property) }
            switch property {
            case .attribute(let attribute):
                try check(attribute, rest: rest)
                return .attribute(ObjectPath(scope: scope, steps: way), attribute)
            case .relationship(let relationship) where !relationship.isToMany:
                way.append(relationship)
                current = relationship.destination
            case .relationship(let relationship):
                let owner = ObjectPath(scope: scope, steps: way)
                switch rest.first {
                case .collectionOperator("count"), .size: break
                case let step?:
                    guard case .key = step else { throw unsupported(step) }
                    return .collection(owner, relationship, rest: rest)
                case nil: return .collection(owner, relationship, rest: rest)
                }
                guard rest.count == 1 else {
                    throw error(
                        .notARelationship, key: relationship.name,
                        "Can't follow a key path after @count, which is a number.")
                }
                return .count(
                    ResolvedCollection(
                        owner: owner, relationship: relationship, scope: resolver.depth + 1))
            }
        }
        return .record(ObjectPath(scope: scope, steps: way), current)
    }

    /// Joins the keys of a path into a composite attribute, which are the name of its element.
    ///
    /// - Parameter remaining: The steps that follow; those of the element are removed.
    private func element(
        of key: String, in entity: EntityDescription,
        takenFrom remaining: inout ArraySlice<PathStep>
    ) throws(FetchPredicateError) -> String {
        var key = key
        while entity.property(named: key) == nil, entity.compositeAttribute(named: key) != nil {
            guard case .key(let next)? = remaining.first else {
                throw error(
                    .unknownKey, key: key,
                    "Can't ask for \(entity.name).\(key) because it is a composite attribute; ask "
                        + "for one of its elements, such as \(key).name.")
            }
            remaining.removeFirst()
            key += "." + next
        }
        return key
    }

    private func property(
        _ key: String, of entity: EntityDescription
    ) throws(FetchPredicateError) -> PropertyDescription {
        if let property = entity.property(named: key) { return property }
        throw FetchPredicateError(
            .unknownKey, column: column.number, entity: entity.name, key: key,
            "Can't find the key '\(key)' because entity '\(entity.name)' has no such property.")
    }

    private func check(
        _ attribute: AttributeDescription, rest: [PathStep]
    ) throws(FetchPredicateError) {
        if let next = rest.first {
            throw error(
                .notARelationship, key: attribute.name,
                "Can't follow '\(Self.text(next))' after \(attribute) because it is an "
                    + "attribute, not a relationship.")
        }
    }

    private func checkStored(
        _ property: PropertyDescription
    ) throws(FetchPredicateError) {
        guard property.isTransient else { return }
        throw error(
            .notStored, key: property.name,
            "Can't ask for \(property) because it is transient, so no store has it.")
    }

    private static let collectionOperators: Set<String> = [
        "count", "sum", "avg", "min", "max", "average", "distinctUnionOfObjects",
        "unionOfObjects", "distinctUnionOfArrays", "unionOfArrays", "distinctUnionOfSets",
        "allKeys", "allValues",
    ]

    private func unsupported(_ step: PathStep) -> FetchPredicateError {
        if case .collectionOperator(let name) = step,
            !Self.collectionOperators.contains(name)
        {
            return error(
                .unknownCollectionOperator, key: "@" + name,
                "Can't find a collection operator @\(name); for an argument as key, write %K.")
        }
        return error(
            .notSupportedYet, key: Self.text(step),
            "Can't evaluate '\(Self.text(step))' there: it is read, and not supported yet.")
    }

    func error(
        _ code: FetchPredicateError.Code, key: String? = nil, _ message: String
    ) -> FetchPredicateError {
        FetchPredicateError(code, column: column.number, entity: entity.name, key: key, message)
    }

    private static func text(_ step: PathStep) -> String {
        switch step {
        case .key(let key): key
        case .collectionOperator(let name): "@" + name
        case .first: "[FIRST]"
        case .last: "[LAST]"
        case .size: "[SIZE]"
        case .index(let index): "[\(index)]"
        }
    }
}
