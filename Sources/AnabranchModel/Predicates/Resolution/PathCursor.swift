import AnabranchReplication

/// A start and the remaining steps of a key path.
struct PathCursor {
    let scope: Int
    let entity: EntityDescription
    let steps: [PathStep]
    let column: SourceColumn
    /// True if the path leads to one of the values that an attribute holds.
    var isHeldValue = false
    private let known = KnownEnd()

    /// The end of a path after it was asked for: several parts of the resolution ask for it.
    private final class KnownEnd {
        var result: Result<End, FetchPredicateError>?
    }

    enum End {
        case attribute(ObjectPath, AttributeDescription)
        /// The length of a text, which is asked for as `name.length`.
        case length(ObjectPath, AttributeDescription)
        case record(ObjectPath, EntityDescription)
        /// The entity of an object, or its name.
        case entity(ObjectPath, EntityDescription)
        /// A to-many relationship; `rest` continues from each of its elements.
        case collection(ObjectPath, RelationshipDescription, rest: [PathStep])
    }

    /// Follows to-one relationships to the end of the path or to the first to-many.
    func end() throws(FetchPredicateError) -> End {
        if let result = known.result { return try result.get() }
        let result = Result { () throws(FetchPredicateError) in try walk() }
        known.result = result
        return try result.get()
    }

    private func walk() throws(FetchPredicateError) -> End {
        var current = entity
        var way: [RelationshipDescription] = []
        var remaining = steps[...]
        while let step = remaining.popFirst() {
            guard case .key(let first) = step else { throw unexpected(step) }
            let (key, known) = try element(of: first, in: current, takenFrom: &remaining)
            let rest = remaining.isEmpty ? [] : Array(remaining)
            let path = ObjectPath(scope: scope, steps: way)
            guard let property = known else {
                if isEntity(key, rest: rest) { return .entity(path, current) }
                throw unknownKey(key, of: current)
            }
            // A path that goes on after an attribute is wrong, whether or not that is stored.
            if property.attribute == nil || rest.isEmpty { try checkStored(property) }
            switch property {
            case .attribute(let attribute):
                if !rest.isEmpty, rest == [.key("length")], attribute.type.isText {
                    try checkStored(property)
                    return .length(path, attribute)
                }
                try check(attribute, rest: rest)
                return .attribute(path, attribute)
            case .relationship(let relationship) where !relationship.isToMany:
                way.append(relationship)
                current = relationship.destination
            case .relationship(let relationship):
                return .collection(path, relationship, rest: rest)
            }
        }
        return .record(ObjectPath(scope: scope, steps: way), current)
    }

    /// Returns true for `entity` and `entity.name`.
    private func isEntity(_ key: String, rest: [PathStep]) -> Bool {
        key == "entity" && (rest.isEmpty || rest == [.key("name")])
    }

    /// Joins the keys of a path into a composite attribute, which are the name of its element.
    ///
    /// - Parameter remaining: The steps that follow; those of the element are removed.
    /// - Returns: The name, and the property of that name if there is one.
    private func element(
        of key: String, in entity: EntityDescription,
        takenFrom remaining: inout ArraySlice<PathStep>
    ) throws(FetchPredicateError) -> (String, PropertyDescription?) {
        var key = key
        var property = entity.property(named: key)
        while property == nil, entity.compositeAttribute(named: key) != nil {
            guard case .key(let next)? = remaining.first else {
                throw error(
                    .unknownKey, key: key,
                    "Can't ask for \(entity.name).\(key) because it is a composite attribute; ask "
                        + "for one of its elements, such as \(key).name.")
            }
            remaining.removeFirst()
            key += "." + next
            property = entity.property(named: key)
        }
        return (key, property)
    }

    private func unknownKey(_ key: String, of entity: EntityDescription) -> FetchPredicateError {
        FetchPredicateError(
            .unknownKey, column: column.number, entity: entity.name, key: key,
            "Can't find the key '\(key)' because entity '\(entity.name)' has no such property."
                + NearestWord.hint(for: key, among: entity.slots.map(\.name)))
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

    private func checkStored(_ property: PropertyDescription) throws(FetchPredicateError) {
        guard property.isTransient else { return }
        throw error(
            .notStored, key: property.name,
            "Can't ask for \(property) because it is transient, so no store has it.")
    }

    private func unexpected(_ step: PathStep) -> FetchPredicateError {
        error(
            .notACollection, key: Self.text(step),
            "Can't ask for '\(Self.text(step))' there because it follows no to-many relationship.")
    }

    func error(
        _ code: FetchPredicateError.Code, key: String? = nil, _ message: String
    ) -> FetchPredicateError {
        FetchPredicateError(code, column: column.number, entity: entity.name, key: key, message)
    }

    static func text(_ step: PathStep) -> String {
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
