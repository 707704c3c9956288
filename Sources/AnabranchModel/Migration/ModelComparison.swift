import AnabranchReplication

/// A comparison of two versions of a model, entity by entity and property by property.
struct ModelComparison {
    private let source: ManagedObjectModel
    private let destination: ManagedObjectModel
    private(set) var changes: [ModelChange] = []
    private(set) var problems: [MigrationError.Problem] = []
    private(set) var newConstraints: [[AttributeDescription]] = []
    private(set) var newDemands: [PropertyDescription] = []

    init(source: ManagedObjectModel, destination: ManagedObjectModel) {
        self.source = source
        self.destination = destination
    }

    mutating func compare() {
        var compared: Set<EntityDescription> = []
        for entity in destination.entities {
            guard let former = former(of: entity) else {
                changes.append(.entityAdded(entity.name))
                continue
            }
            compared.insert(former)
            compare(entity, with: former)
        }
        for entity in source.entities where !compared.contains(entity) {
            changes.append(.entityRemoved(entity.name))
        }
        if compared.isEmpty, let entity = destination.entities.first {
            refuse(
                entity, nil,
                "Can't migrate between models that have no entity in common: the older one has "
                    + "\(source.entities.first?.name ?? "none"), the newer one \(entity.name). "
                    + "Use a version of the same model.")
        }
    }

    /// The entity of the old version that became an entity of the new one.
    ///
    /// Records have the wire name of their entity, which all versions agree on. So a version
    /// may be skipped even if renaming identifiers mention its names.
    private func former(of entity: EntityDescription) -> EntityDescription? {
        if let same = source.entity(wireName: entity.wireName) { return same }
        let identifier = entity.declaration.renamingIdentifier
        let named =
            identifier.flatMap(source.entity(named:)) ?? source.entity(named: entity.name)
        // An entity that goes on under another name has left its former one to this entity.
        return named.flatMap { destination.entity(wireName: $0.wireName) == nil ? $0 : nil }
    }

    private mutating func compare(_ entity: EntityDescription, with former: EntityDescription) {
        if !entity.name.hasSameBytes(as: former.name) {
            changes.append(.entityRenamed(from: former.name, to: entity.name))
        }
        if entity.wireName != former.wireName {
            refuse(
                entity, nil,
                "Can't migrate the entity \(entity.name) because its records would be lost: its "
                    + "wire name was \(former.wireName.string). Give it that wire name.")
        }
        if entity.isSynced != former.isSynced { refuse(moving: entity) }
        let parent = entity.superentity.flatMap(self.former)
        if parent != former.superentity || entity.superentity != nil && parent == nil {
            changes.append(
                .entityMoved(
                    entity.name, from: former.superentity?.name, to: entity.superentity?.name))
        }
        if entity.isAbstract != former.isAbstract || entity.deletePolicy != former.deletePolicy {
            changes.append(.entityChanged(entity.name))
        }
        compareProperties(of: entity, with: former)
        compareConstraints(of: entity, with: former)
    }

    /// Records never move between what is synced and what is kept in one store: a replica that
    /// has not migrated yet would keep them on the other side.
    private mutating func refuse(moving entity: EntityDescription) {
        refuse(
            entity, nil,
            "Can't migrate the entity \(entity.name) because it "
                + (entity.isSynced
                    ? "was kept in this store only, and is synced now"
                    : "was synced, and is kept in this store only now")
                + ". Add an entity of another name and wire name instead, and copy the objects.")
    }

    // MARK: - Properties

    private mutating func compareProperties(
        of entity: EntityDescription, with former: EntityDescription
    ) {
        var compared: Set<PropertyDescription> = []
        for property in entity.slots {
            guard let old = self.former(of: property, among: entity.slots, in: former) else {
                changes.append(.propertyAdded(entity: entity.name, property: property.name))
                checkDefault(of: property, in: entity, isNew: true)
                addDemand(property)
                continue
            }
            compared.insert(old)
            compare(property, with: old, of: entity)
        }
        for old in former.slots where !compared.contains(old) {
            changes.append(.propertyRemoved(entity: entity.name, property: old.name))
        }
        compareComposites(of: entity, with: former)
    }

    /// Compares if composite attributes may be without a value; everything else of them is a
    /// property.
    private mutating func compareComposites(
        of entity: EntityDescription, with former: EntityDescription
    ) {
        for composite in entity.compositeAttributes {
            let identifier = composite.declaration.renamingIdentifier ?? composite.name
            let old =
                former.compositeAttribute(named: identifier)
                ?? former.compositeAttribute(named: composite.name)
            if let old, !composite.declaration.isTransient { checkElements(of: composite, old) }
            let wasOptional = old?.isOptional ?? true
            guard composite.isOptional != wasOptional else { continue }
            if old != nil {
                changes.append(
                    .optionalityChanged(
                        entity: entity.name, property: composite.name,
                        isOptional: composite.isOptional))
            }
            let hasDefault = composite.attributes.contains { !$0.initialValue.isNull }
            if composite.isOptional || composite.declaration.isTransient || hasDefault { continue }
            let path = composite.description
            refuse(
                entity, composite.name,
                (old == nil
                    ? "Can't add the mandatory composite attribute \(path)"
                    : "Can't make \(path) mandatory")
                    + " because records may have no value of it. Give one of its elements a "
                    + "default.")
        }
    }

    /// Checks that elements that become mandatory have defaults, for the records that have a value
    /// of the composite attribute and none of the element.
    private mutating func checkElements(
        of composite: CompositeAttributeDescription, _ former: CompositeAttributeDescription
    ) {
        let mandatory = Set(former.mandatoryAttributes)
        let optional = former.attributes.filter { !mandatory.contains($0) }
            .map(\.declaration.wireName)
        for attribute in composite.mandatoryAttributes
        where attribute.isOptional && attribute.defaultValue.isNull
            && optional.contains(attribute.declaration.wireName)
        {
            refuse(
                composite.entity, attribute.name,
                "Can't make \(attribute) mandatory because records may have a value of "
                    + "\(composite.name) without one of it. Give it a default.")
        }
        for inner in composite.compositeAttributes {
            let old = former.compositeAttributes.first { old in
                old.declaration.resolvedWireName == inner.declaration.resolvedWireName
            }
            if let old { checkElements(of: inner, old) }
        }
    }

    /// - Parameter entity: The former version of the entity that has the property.
    private func former(
        of property: PropertyDescription, among present: [PropertyDescription],
        in entity: EntityDescription
    ) -> PropertyDescription? {
        if let same = entity.slots.first(where: { $0.hasWireName(of: property) }) { return same }
        let identifier = property.renamingIdentifier
        let named =
            identifier.flatMap(entity.property(named:)) ?? entity.property(named: property.name)
        return named.flatMap { old in
            present.contains { $0.hasWireName(of: old) } ? nil : old
        }
    }

    /// Checks that a mandatory attribute has a default, for the records that have no value of it.
    private mutating func checkDefault(
        of property: PropertyDescription, in entity: EntityDescription, isNew: Bool
    ) {
        guard let attribute = property.attribute, attribute.isStored, !attribute.isOptional,
            attribute.defaultValue.isNull
        else { return }
        let path = "\(attribute.entity.name).\(attribute.name)"
        refuse(
            entity, property.name,
            (isNew ? "Can't add the mandatory attribute \(path)" : "Can't make \(path) mandatory")
                + " because records may have no value of it. Give it a default.")
    }

    /// Adds a mandatory property for which a record without a value has nothing to show.
    private mutating func addDemand(_ property: PropertyDescription) {
        guard !property.isOptional, !newDemands.contains(property) else { return }
        switch property {
        case .attribute(let attribute):
            guard attribute.isStored, !attribute.isInGroup, attribute.valueWhenNull.isNull else {
                return
            }
        case .relationship(let relationship):
            guard !relationship.isToMany, !relationship.isTransient else { return }
        }
        newDemands.append(property)
    }

    private mutating func compare(
        _ property: PropertyDescription, with old: PropertyDescription, of entity: EntityDescription
    ) {
        if !property.name.hasSameBytes(as: old.name) {
            changes.append(.propertyRenamed(entity: entity.name, from: old.name, to: property.name))
        }
        if property.isOptional != old.isOptional {
            changes.append(
                .optionalityChanged(
                    entity: entity.name, property: property.name, isOptional: property.isOptional))
            if !property.isOptional {
                checkDefault(of: property, in: entity, isNew: false)
                addDemand(property)
            }
        } else if let attribute = old.attribute, !attribute.isStored {
            // A store has no values of it.
            checkDefault(of: property, in: entity, isNew: true)
        }
        if hasOtherSettings(property, than: old) {
            changes.append(.propertyChanged(entity: entity.name, property: property.name))
        }
        if let attribute = property.attribute, let old = old.attribute,
            attribute.showsValues(of: old)
        {
            compare(attribute, showing: old, of: entity)
        }
        if let relationship = property.relationship, let old = old.relationship {
            compareForm(of: relationship, with: old, of: entity)
        }
        guard let problem = problem(property, from: old) else { return }
        refuse(
            entity, property.name,
            "Can't migrate \(entity.name).\(property.name) because \(problem)")
    }

    private mutating func compare(
        _ attribute: AttributeDescription, showing old: AttributeDescription,
        of entity: EntityDescription
    ) {
        if attribute.type != old.type {
            changes.append(
                .typeWidened(
                    entity: entity.name, property: attribute.name, from: old.type,
                    to: attribute.type))
        }
        let (rule, former) = (attribute.wireProperty.rule, old.wireProperty.rule)
        if rule != former {
            changes.append(
                .mergeRuleChanged(
                    entity: entity.name, property: attribute.name, from: former, to: rule))
        }
    }

    private mutating func compareForm(
        of relationship: RelationshipDescription, with old: RelationshipDescription,
        of entity: EntityDescription
    ) {
        if relationship.isToMany != old.isToMany {
            changes.append(
                .cardinalityChanged(
                    entity: entity.name, property: relationship.name,
                    isToMany: relationship.isToMany))
        } else if relationship.isOrdered != old.isOrdered {
            changes.append(
                .orderChanged(
                    entity: entity.name, property: relationship.name,
                    isOrdered: relationship.isOrdered))
        }
    }

    private func hasOtherSettings(
        _ property: PropertyDescription, than old: PropertyDescription
    ) -> Bool {
        switch (property, old) {
        case (.attribute(let attribute), .attribute(let old)):
            attribute.isTransient != old.isTransient || attribute.isDerived != old.isDerived
        case (.relationship(let relationship), .relationship(let old)):
            relationship.isTransient != old.isTransient
                || relationship.isToMany == old.isToMany
                    && (relationship.minCount != old.minCount
                        || relationship.maxCount != old.maxCount
                        || relationship.isAcyclic != old.isAcyclic)
        default: false
        }
    }

    /// Returns why a property can't keep the values of its former version, and what to do; `nil` if
    /// it can.
    private func problem(
        _ property: PropertyDescription, from old: PropertyDescription
    ) -> String? {
        switch (property, old) {
        case (.attribute(let attribute), .attribute(let old)):
            return problem(attribute, from: old)
        case (.relationship(let relationship), .relationship(let old)):
            return problem(relationship, from: old)
        default:
            return "it was \(old.attribute == nil ? "a relationship" : "an attribute"). Give the "
                + "new property another name."
        }
    }

    private func problem(
        _ attribute: AttributeDescription, from old: AttributeDescription
    ) -> String? {
        guard attribute.isStored, old.isStored, !attribute.showsValues(of: old) else { return nil }
        let isInGroup = attribute.isInGroup || old.isInGroup
        if attribute.type != old.type,
            isInGroup || !attribute.type.wireType.widens(old.type.wireType)
        {
            return "its type changes from \(old.type) to \(attribute.type), "
                + (isInGroup
                    ? "and it is in an attribute group. " : "which can't show every value. ")
                + "Add an attribute of another name instead, and copy the values."
        }
        let (new, former) = (attribute.wireProperty, old.wireProperty)
        if isInGroup {
            guard new != former else { return nil }
            return "its attribute group changes from \(old.group?.name ?? "none") to "
                + "\(attribute.group?.name ?? "none"). Leave it in its group."
        }
        return problem(new, from: former)
    }

    private func problem(_ new: WireProperty, from former: WireProperty) -> String? {
        if new.name != former.name {
            return "its values would be lost: its wire name was \(former.name.string). Give it "
                + "that wire name."
        }
        if new.rule != former.rule {
            return "its merge rule changes from \(former.rule) to \(new.rule), and the values "
                + "under one say nothing about those under the other. Add a property of another "
                + "name instead, and copy the values."
        }
        return nil
    }

    private func problem(
        _ relationship: RelationshipDescription, from old: RelationshipDescription
    ) -> String? {
        if relationship.isTransient || old.isTransient { return nil }
        let destination = former(of: relationship.destination)
        guard destination == old.destination || isRelated(relationship.destination, old) else {
            return "its destination changes from \(old.destination.name) to "
                + "\(relationship.destination.name). Add a relationship of another name instead."
        }
        let showsFormer = relationship.showsLinks(of: old) || relationship.showsReference(of: old)
        if !showsFormer,
            relationship.storage != old.storage
                || relationship.wireProperty.type != old.wireProperty.type
        {
            return "its values would be stored in another place: one of the two sides becomes "
                + "to-many, to-one, or the first to have an inverse. Add a relationship of another "
                + "name instead, and copy the references."
        }
        // Its inverse stores the references, and several records may refer to one object.
        if old.isToMany, !relationship.isToMany {
            return "it was to-many, and a to-one shows only one of its objects. Add a relationship "
                + "of another name instead, and copy the references."
        }
        return showsFormer
            ? nil : problem(relationship.wireProperty, from: old.wireProperty)
    }

    /// Returns true if the former destination is above or below the present one.
    private func isRelated(
        _ destination: EntityDescription, _ old: RelationshipDescription
    ) -> Bool {
        guard
            let present = destination.root.hierarchy.first(where: {
                former(of: $0) == old.destination
            })
        else { return false }
        return present.isKind(of: destination) || destination.isKind(of: present)
    }

    // MARK: - Constraints

    private mutating func compareConstraints(
        of entity: EntityDescription, with former: EntityDescription
    ) {
        var old = former.ownUniquenessConstraints
        for constraint in entity.ownUniquenessConstraints {
            if let place = old.firstIndex(where: { constraint.isSuccessor(of: $0) }) {
                // Records may share the key if an attribute shows its default in place of null.
                let former = old.remove(at: place)
                if zip(constraint, former).contains(where: { $0.valueWhenNull != $1.valueWhenNull })
                {
                    newConstraints.append(constraint)
                }
                continue
            }
            changes.append(
                .constraintAdded(entity: entity.name, attributes: constraint.map(\.name)))
            newConstraints.append(constraint)
        }
        for constraint in old {
            changes.append(
                .constraintRemoved(entity: entity.name, attributes: constraint.map(\.name)))
        }
    }

    private mutating func refuse(
        _ entity: EntityDescription, _ property: String?, _ message: String
    ) {
        // Each sub-entity has the same problem with an inherited property.
        guard !problems.contains(where: { $0.message == message }) else { return }
        problems.append(
            MigrationError.Problem(entity: entity.name, property: property, message: message))
    }
}

extension AttributeDescription {
    /// True if the attribute has changed its type or its merge rule, and shows the values of its
    /// former one.
    fileprivate func showsValues(of old: AttributeDescription) -> Bool {
        isStored && old.isStored && !isInGroup && !old.isInGroup
            && wireProperty.continues(old.wireProperty)
    }
}

extension [AttributeDescription] {
    /// True if the constraint is that of an earlier version, with the same or with wider types.
    fileprivate func isSuccessor(of former: [AttributeDescription]) -> Bool {
        elementsEqual(former) {
            $0.wireProperty == $1.wireProperty || $0.showsValues(of: $1)
        }
    }
}

extension RelationshipDescription {
    /// Returns true if both are stored as the reference of one to-one, and only its position in an
    /// ordered inverse is new or gone.
    fileprivate func showsReference(of former: RelationshipDescription) -> Bool {
        storage == former.storage && storedSide.storage == .reference
            && wireProperty.continues(former.wireProperty)
    }

    /// Returns true if this relationship is stored as links and shows what was stored for a former
    /// version of it.
    fileprivate func showsLinks(of former: RelationshipDescription) -> Bool {
        let former = former.storedSide
        let sides = [storedSide, storedSide.inverse].compactMap { $0 }
        return sides.contains {
            wireProperty.showsLinks(of: former.wireProperty, named: $0.declaredWireName)
                && $0.declaredWireName == former.declaredWireName
        }
    }
}

extension PropertyDescription {
    fileprivate var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.declaration.renamingIdentifier
        case .relationship(let relationship): relationship.declaration.renamingIdentifier
        }
    }

    /// Returns true if the two properties themselves have one wire name. Two inverses are sent
    /// under that of one of them.
    fileprivate func hasWireName(of other: PropertyDescription) -> Bool {
        declaredWireName.hasSameBytes(as: other.declaredWireName)
    }

    private var declaredWireName: String {
        switch self {
        case .attribute(let attribute): attribute.declaration.resolvedWireName
        case .relationship(let relationship): relationship.declaration.resolvedWireName
        }
    }
}
