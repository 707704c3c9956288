import AnabranchModel
public import AnabranchReplication
import AnabranchStore

extension ManagedObject {
    /// Checks a value that a property could get. Nothing is set.
    ///
    /// The value is first converted to the attribute's type. Then the class checks it if it
    /// conforms to ``ValueChecking``, which can replace the value. Then the model's checks follow.
    ///
    /// - Parameters:
    ///   - value: The value of an attribute, or a record reference for a to-one relationship. For
    ///     a to-many relationship pass null: its present objects are checked.
    ///   - key: The name of the property.
    /// - Throws: ``ValidationError`` with everything that is wrong, or the error of the class;
    ///   ``PropertyError`` for a name that the entity lacks.
    public final func validateValue(_ value: inout PropertyValue, forKey key: String) throws {
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

    /// Makes the model's checks and records for the save that they were made.
    ///
    /// - Throws: ``ValidationError``; `StoreError` if a relationship can't be read;
    ///   ``PropertyError`` if the object has no context any more.
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
    /// Checks the value that a to-one relationship could get, or the present objects of a to-many
    /// relationship.
    fileprivate mutating func check(
        _ value: PropertyValue, of relationship: RelationshipDescription
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
            refuse(.wrongType, relationship, "\(value) is not a record reference", value)
        }
    }
}
