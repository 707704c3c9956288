import AnabranchModel
import AnabranchReplication
import AnabranchStore

// What the hooks of ManagedObject do themselves.
extension ManagedObject {
    /// Makes the model's checks, and leaves a note for the save that they were made.
    ///
    /// - Throws: ``ValidationError``; ``StoreError`` where a relationship can't be read;
    ///   ``PropertyError`` where the object has no context any more.
    final func checkByModel(_ occasion: SaveOccasion) throws {
        guard let context = managedObjectContext else {
            throw PropertyError(
                .inaccessible,
                "Can't validate \(objectID) because its context has forgotten it.",
                objectID: objectID)
        }
        var check = ObjectCheck(self, in: context)
        try check.check(occasion)
        context.checkedID = localID
        if check.failures.isEmpty, context.modelFailures.isEmpty { return }
        context.modelFailures = check.failures
        if let error = ValidationError(check.failures) { throw error }
    }

    /// Checks a value that a property may get.
    final func checkByModel(_ value: inout Value, forKey key: String) throws {
        let property = try property(named: key)
        let context = try context(for: key)
        var check = ObjectCheck(self, in: context)
        switch property {
        case .attribute(let attribute): check.check(&value, of: attribute)
        case .relationship(let relationship):
            try check.check(value, of: relationship)
        }
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
