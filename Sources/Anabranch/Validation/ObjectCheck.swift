import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// The validation of one object by its model and, if the class conforms to ``ValueChecking``, by
/// its class.
///
/// The class checks every property of a new object, and the changed properties of an updated one.
/// A deletion is checked by the model only.
struct ObjectCheck {
    let object: ManagedObject
    // Used on the context's queue during a check only. Counting references to a context is slow.
    unowned(unsafe) let context: ManagedObjectContext
    private let plan: EntityPlan
    /// The failures by slot; those of one property in the order in which they were found.
    private(set) var failures: [ValidationError] = []

    init(_ object: ManagedObject, in context: ManagedObjectContext) {
        self.object = object
        self.context = context
        plan = object.home.plan
    }

    /// Checks the object for a deletion, an insertion or an update, and adds each failure to
    /// `failures`.
    ///
    /// - Throws: `StoreError` if a relationship can't be read; ``PropertyError`` if the row of a
    ///   related object is gone and the context does not treat that object as deleted.
    mutating func check(_ occasion: SaveOccasion) throws {
        if occasion == .delete { return try checkDeletion() }
        let isInsertion = occasion == .insert
        let own = plan.checksValues ? try askClass(isInsertion) : []
        // A fault that only counts as changed has the saved values.
        if object.flags.contains(.hasRow) {
            try checkValues(isInsertion)
            checkComposites(isInsertion)
        }
        for relation in plan.checks.relations where relation.isConcerned(by: object, in: context) {
            try check(relation)
        }
        // A class can find the same failure as the model.
        failures += own.filter { failure in !failures.contains { $0.repeats(failure) } }
        if failures.count > 1 { sortFailures() }
    }

    /// Sorts relationships without a slot value in among the other properties.
    private mutating func sortFailures() {
        let entity = plan.entity
        let slots = failures.map { $0.property.flatMap(entity.slotIndex) ?? entity.slots.count }
        failures = zip(slots, failures).enumerated().sorted {
            ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
        }.map(\.element.1)
    }
}

// MARK: Values

extension ObjectCheck {
    private mutating func checkValues(_ isInsertion: Bool) throws {
        let checks = plan.checks
        for slot in checks.valueSlots {
            if isInsertion || object.isWritten(slot) {
                try check(slot, checks.slots[slot])
            } else if !checks.slots[slot].isOptional, object.slots[slot].isNull, plan.isStored[slot]
            {
                // Any other slot that was not written is as it was saved.
                fail(slot, .missingMandatoryProperty, "it is not set")
            }
        }
    }

    private mutating func check(_ slot: Int, _ check: EntityChecks.Slot) throws {
        var value = object.slots[slot]
        if value.isNull {
            if !check.isOptional { fail(slot, .missingMandatoryProperty, "it is not set") }
            return
        }
        guard let type = check.type else {
            if check.hasRestrictions { try checkRules(ofReferenceIn: slot) }
            return
        }
        if !type.accepts(value) {
            guard let fitting = type.coerce(value), type.accepts(fitting) else {
                return failType(slot, value)
            }
            value = fitting
            object.expireKeys()
            object.slots[slot] = fitting
        }
        if check.hasRestrictions || value.isNoMoment { checkRestrictions(slot, value) }
    }

    private mutating func checkRestrictions(_ slot: Int, _ value: PropertyValue) {
        guard let attribute = plan.entity.slots[slot].attribute else { return }
        for violation in attribute.violations(by: value) {
            failures.append(ValidationError(violation, by: value, of: attribute, of: object))
        }
    }

    private mutating func failType(_ slot: Int, _ value: PropertyValue) {
        guard let attribute = plan.entity.slots[slot].attribute else { return }
        failures.append(ValidationError(.wrongType, by: value, of: attribute, of: object))
    }

    private mutating func fail(_ slot: Int, _ code: ValidationError.Code, _ reason: String) {
        failures.append(ValidationError(code, object, plan.entity.slots[slot].name, reason))
    }

    private mutating func checkRules(ofReferenceIn slot: Int) throws {
        guard let relationship = plan.entity.slots[slot].relationship else { return }
        try checkRules(relationship.rules, of: relationship)
    }

    /// Checks a value that an attribute could get, after a conversion to the attribute's type.
    mutating func check(_ value: inout PropertyValue, of attribute: AttributeDescription) {
        if !value.isNull, let fitting = attribute.type.coerce(value) { value = fitting }
        for violation in attribute.violations(by: value) {
            failures.append(ValidationError(violation, by: value, of: attribute, of: object))
        }
    }
}

// MARK: Composite attributes

extension ObjectCheck {
    private mutating func checkComposites(_ isInsertion: Bool) {
        for composite in plan.checks.composites
        where isInsertion || composite.attributes.contains(where: { object.isWritten($0.slot) }) {
            check(composite)
        }
    }

    /// Checks that a composite attribute has a value if it needs one, and that it has all mandatory
    /// elements if it has one.
    ///
    /// An element that the model never lets be null has been checked by itself.
    private mutating func check(_ composite: CompositeAttributeDescription) {
        guard composite.attributes.contains(where: { !object.slots[$0.slot].isNull }) else {
            guard !composite.isOptional, composite.attributes.allSatisfy(\.isOptional) else {
                return
            }
            failures.append(
                ValidationError(
                    .missingMandatoryProperty, object, composite.name,
                    "none of its elements is set"))
            return
        }
        for attribute in composite.mandatoryAttributes
        where attribute.isOptional && object.slots[attribute.slot].isNull {
            fail(
                attribute.slot, .missingMandatoryProperty,
                "it is not set, and '\(composite.name)' has a value")
        }
        for inner in composite.compositeAttributes { check(inner) }
    }
}

// MARK: The class's own answers

extension ObjectCheck {
    /// Calls the class's check for the properties that were set since the last save; for a new
    /// object, for every property.
    private func askClass(_ isInsertion: Bool) throws -> [ValidationError] {
        guard let asked = object as? any ValueChecking else { return [] }
        var found: [ValidationError] = []
        for slot in plan.checks.valueSlots
        where isInsertion || object.flags.contains(.hasRow) && object.isWritten(slot) {
            let property = plan.entity.slots[slot]
            found += try ask(asked, property.attribute.map { _ in slot }, property.name)
        }
        for (index, relationship) in plan.relations.enumerated()
        where isInsertion || object.relations?.changes(at: index) == true {
            found += try ask(asked, nil, relationship.name)
        }
        return found
    }

    /// Calls the class's check for one property. A value that the class replaces becomes the
    /// attribute's value, and is then checked by the model.
    ///
    /// - Parameter slot: The slot of an attribute; `nil` for a relationship.
    /// - Returns: The failures of the class; nothing has changed if there are any.
    private func ask(
        _ asked: any ValueChecking, _ slot: Int?, _ key: String
    ) throws -> [ValidationError] {
        let present = try slot.map { fitting(object.slots[$0], in: $0) } ?? reference(key)
        var value = present
        do {
            try asked.checkValue(&value, forKey: key)
        } catch let error as StoreError {
            throw error
        } catch let error as ValidationError {
            return error.failures(of: object, property: key)
        } catch {
            return [ValidationError(underlying: error, of: object, property: key, value: value)]
        }
        if let slot { value = fitting(value, in: slot) }
        guard value != present else { return [] }
        guard let slot else {
            let reason =
                "checkValue(_:forKey:) replaces its value; it can replace the values of "
                + "attributes only"
            return [ValidationError(.refused, object, key, reason)]
        }
        object.write(value, to: slot)
        return []
    }

    /// Converts a value to the type of a slot's attribute. A value that can't be converted is
    /// returned as it is.
    private func fitting(_ value: PropertyValue, in slot: Int) -> PropertyValue {
        guard let type = plan.checks.slots[slot].type, !value.isNull, !type.accepts(value),
            let fitting = type.coerce(value), type.accepts(fitting)
        else { return value }
        return fitting
    }

    /// Returns the reference of a to-one relationship; null for a to-many relationship.
    private func reference(_ key: String) throws -> PropertyValue {
        guard let relationship = plan.entity.property(named: key)?.relationship,
            !relationship.isToMany,
            let id = try context.targetID(of: object, by: relationship)
        else { return .null }
        return .reference(try object.home.origin.recordID(of: id))
    }
}

// MARK: Relationships

extension ObjectCheck {
    mutating func check(_ relation: EntityChecks.Relation) throws {
        let relationship = relation.relationship
        let count = try context.members(of: object, at: relation.index).count
        if count == 0, relationship.isOptional { return }
        if count < relationship.minCount, relationship.isToMany {
            fail(
                relationship, .tooFewObjects,
                "it has \(count) objects and needs \(relationship.minCount)")
        } else if count == 0 {
            fail(relationship, .missingMandatoryProperty, "it has no object at its other end")
        }
        if relationship.isToMany, let most = relationship.maxCount, count > most {
            fail(
                relationship, .tooManyObjects,
                "it has \(count) objects and may have at most \(most)")
        }
        try checkRules(relation.rules, of: relationship)
    }

    private mutating func checkRules(
        _ rules: [RelationshipRule], of relationship: RelationshipDescription
    ) throws {
        guard !rules.isEmpty else { return }
        var target: ManagedObject?
        if !relationship.isToMany {
            target = try context.targetOrThrow(of: object, by: relationship)
        }
        try checkRules(rules, of: relationship, target: target)
    }

    mutating func checkRules(
        _ rules: [RelationshipRule], of relationship: RelationshipDescription,
        target: ManagedObject?
    ) throws {
        if let target {
            try context.fireFault(target)
            // A reference to a deleted record reads nil.
            if target.isDeleted { return }
        }
        for rule in rules where try !rule.holds(for: object, target: target) {
            failures.append(ValidationError(rule.rule, object, relationship.name, nil))
        }
    }

    private mutating func fail(
        _ relationship: RelationshipDescription, _ code: ValidationError.Code, _ reason: String
    ) {
        refuse(code, relationship, reason, nil)
    }

    mutating func refuse(
        _ code: ValidationError.Code, _ relationship: RelationshipDescription, _ reason: String,
        _ value: PropertyValue?
    ) {
        failures.append(ValidationError(code, object, relationship.name, reason, value: value))
    }

    private mutating func checkDeletion() throws {
        for relationship in plan.entity.relationships where relationship.deleteRule == .deny {
            guard try isDenied(at: relationship) else { continue }
            let reason = "'\(relationship.name)' still points to other objects"
            failures.append(
                ValidationError(
                    .deniedDelete, "Can't delete \(object.objectID) because \(reason).",
                    reason: reason, objectID: object.objectID, property: relationship.name))
        }
    }

    /// Returns true if the relationship points to an object that is not being deleted.
    ///
    /// An object that the app holds, or that has unsaved changes, counts without a read. If there
    /// is none, the other objects are looked up in the store. They may have been deleted there
    /// since the relationship was read.
    private func isDenied(at relationship: RelationshipDescription) throws -> Bool {
        let staying = try ids(at: relationship).filter(stays)
        if staying.contains(where: { context.held($0) != nil }) { return true }
        var unread = staying.sorted()[...]
        while !unread.isEmpty {
            let next = unread.prefix(256)
            if try !context.objects(next, of: relationship.destination).isEmpty { return true }
            unread = unread.dropFirst(next.count)
        }
        return false
    }

    private func ids(at relationship: RelationshipDescription) throws -> Set<LocalID> {
        if let index = plan.relationIndex(of: relationship) {
            var ids = try context.members(of: object, at: index)
            // A member that was added and is not registered was an unsaved insertion that has been
            // deleted.
            let added = object.relations?.states[index].added ?? []
            ids.subtract(added.filter { context.registry[$0] == nil })
            return ids
        }
        guard object.flags.contains(.hasRow),
            let id = context.shownReference(of: object, by: relationship)
        else { return [] }
        let isNew = object.isChangedSinceCommit(relationship.slot)
        return isNew && context.registry[id] == nil ? [] : [id]
    }

    private func stays(_ id: LocalID) -> Bool {
        !context.deletedIDs.contains(id) && context.registry[id]?.isDeleted != true
    }
}
