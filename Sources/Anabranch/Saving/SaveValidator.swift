import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Checks objects against the model before they are saved, and collects every failure.
struct SaveValidator {
    private(set) var failures: [ValidationError] = []

    mutating func check(_ object: ManagedObject, in context: ManagedObjectContext) throws {
        if object.flags.contains(.deleted) { return try checkDeletion(of: object, in: context) }
        // A fault that is only counted as changed has the values that were saved.
        guard object.flags.contains(.hasRow) else { return }
        let plan = object.home.plan
        if object.flags.contains(.inserted) {
            for slot in plan.storedSlots { check(slot, of: object, plan) }
        } else {
            // What has not been written is as it was saved.
            object.forEachWrittenSlot { slot in
                if plan.isStored[slot] { check(slot, of: object, plan) }
            }
        }
        for (index, relationship) in plan.relations.enumerated()
        where !relationship.isOptional && !relationship.isToMany {
            if try context.members(of: object, at: index).isEmpty {
                fail(object, relationship.name, .missingMandatoryProperty, "it is not set")
            }
        }
    }

    private mutating func check(_ slot: Int, of object: ManagedObject, _ plan: EntityPlan) {
        if object.slots[slot].isNull, !plan.entity.slots[slot].isOptional {
            fail(object, plan.entity.slots[slot].name, .missingMandatoryProperty, "it is not set")
        }
        if let attribute = plan.storedAttribute[slot] { checkType(attribute, of: object) }
    }

    private mutating func checkType(_ attribute: AttributeDescription, of object: ManagedObject) {
        let value = object.slots[attribute.slot]
        guard !attribute.type.accepts(value) else { return }
        if let fitting = attribute.type.coerce(value), attribute.type.accepts(fitting) {
            object.slots[attribute.slot] = fitting
        } else {
            fail(
                object, attribute.name, .wrongType,
                "\(value) does not fit its type, \(attribute.type)", value)
        }
    }

    private mutating func checkDeletion(
        of object: ManagedObject, in context: ManagedObjectContext
    ) throws {
        for relationship in object.entity.relationships where relationship.deleteRule == .deny {
            let ids: Set<LocalID> =
                if let index = object.home.plan.relationIndex(of: relationship) {
                    try context.members(of: object, at: index)
                } else if case .integer(let id) = object.slots[relationship.slot] { [id] } else {
                    []
                }
            guard !ids.isSubset(of: context.deletedIDs) else { continue }
            failures.append(
                ValidationError(
                    .deniedDelete,
                    "Can't delete \(object.objectID) because "
                        + "'\(relationship.name)' still leads to other objects.",
                    objectID: object.objectID, property: relationship.name))
        }
    }

    private mutating func fail(
        _ object: ManagedObject, _ property: String, _ code: ValidationError.Code,
        _ cause: String, _ value: Value? = nil
    ) {
        failures.append(
            ValidationError(
                code, "Can't save \(object.objectID).\(property) because \(cause).",
                objectID: object.objectID, property: property, value: value))
    }
}
