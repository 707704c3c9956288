import AnabranchModel
public import AnabranchReplication
import AnabranchStore

extension ManagedObject {
    /// Checks a value that a property may get, at any time: nothing is set.
    ///
    /// It is brought to the attribute's type, then checked by the class, where that has checks of
    /// its own (``ValueChecking``), which may put another one in its place; then by the model.
    ///
    /// - Parameter value: Of an attribute its value. Of a to-one a reference to the record, of a
    ///   to-many null: its objects are checked as they are.
    /// - Throws: ``ValidationError`` with everything that is wrong, or what the class throws;
    ///   ``PropertyError`` for a name that the entity lacks.
    public final func validateValue(_ value: inout Value, forKey key: String) throws {
        let property = try property(named: key)
        let context = try context(for: key)
        defer { withExtendedLifetime(context) {} }
        if let attribute = property.attribute, !value.isNull {
            value = attribute.type.coerce(value) ?? value
        }
        if let own = self as? any ValueChecking { try own.checkValue(&value, forKey: key) }
        var check = ObjectCheck(self, in: context)
        switch property {
        case .attribute(let attribute): check.check(&value, of: attribute)
        case .relationship(let relationship):
            try check.check(value, of: relationship)
        }
        if let error = ValidationError(check.failures) { throw error }
    }

    /// Makes the model's checks, and leaves a note for the save that they were made.
    ///
    /// - Throws: ``ValidationError``; ``StoreError`` where a relationship can't be read;
    ///   ``PropertyError`` where the object has no context any more.
    final func checkByModel(_ occasion: SaveOccasion) throws {
        let isChecked: Void? =
            flags.contains(.detached)
            ? nil : try home.withContext { try check(occasion, in: $0) }
        guard isChecked == nil else { return }
        throw PropertyError(
            .inaccessible, "Can't validate \(objectID) because its context has forgotten it.",
            objectID: objectID)
    }

    private final func check(_ occasion: SaveOccasion, in context: ManagedObjectContext) throws {
        if home.plan.asksValuesOnly, occasion != .delete, context.modelFailures.isEmpty,
            home.plan.checks.take(valuesOf: self, occasion)
        {
            context.checkedID = localID
            return
        }
        var check = ObjectCheck(self, in: context)
        try check.check(occasion)
        context.checkedID = localID
        if check.failures.isEmpty, context.modelFailures.isEmpty { return }
        context.modelFailures = check.failures
        if let error = ValidationError(check.failures) { throw error }
    }
}

extension ObjectCheck {
    /// Checks what a to-one may lead to; of a to-many, what it has.
    fileprivate mutating func check(
        _ value: Value, of relationship: RelationshipDescription
    ) throws {
        guard !relationship.isToMany else {
            let checks = object.home.plan.checks.relations
            guard let own = checks.first(where: { $0.relationship == relationship }) else { return }
            return try check(own)
        }
        switch value {
        case .null:
            if !relationship.isOptional {
                refuse(.missingMandatoryProperty, relationship, "it is not set", nil)
            }
        case .reference(let record):
            guard let id = try context.coordinator.store.localID(of: record),
                let target = try context.object(id, of: relationship.destination)
            else {
                return refuse(.wrongType, relationship, "this store has no \(record)", value)
            }
            try checkRules(relationship.rules, of: relationship, target: target)
        default:
            refuse(.wrongType, relationship, "\(value) is no reference to a record", value)
        }
    }
}
