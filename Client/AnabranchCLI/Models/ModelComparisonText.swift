import Anabranch

/// The differences between two versions of a model in words, each once.
struct ModelComparisonText {
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    let differences: ModelDifferences
    private let reported: Set<ModelChange>

    init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        self.source = source
        self.destination = destination
        differences = ModelDifferences(from: source, to: destination)
        reported = Set(differences.changes)
    }

    /// The changes of the schema in words.
    ///
    /// A change of an inherited property is left out if the entity that declares it has it too.
    var changes: [String] {
        differences.changes.compactMap { change in
            switch change {
            case .propertyAdded(let entity, let name): added(name, to: entity, change)
            case .propertyRemoved(let entity, let name): removed(name, from: entity, change)
            case .propertyRenamed(let entity, _, let name):
                once(change, name, of: entity) { "\($0) \(change)" }
            case .typeWidened(let entity, let name, _, _),
                .mergeRuleChanged(let entity, let name, _, _):
                once(change, name, of: entity) { "\($0) \(change)" }
            case .optionalityChanged(let entity, let name, _):
                once(change, name, of: entity) { "\($0) \(change)" }
            case .propertyChanged(let entity, let name):
                once(change, name, of: entity) { kind in
                    let details = details(of: name, in: entity)
                    return "\(kind) \(entity).\(name) " + (details ?? "changed")
                }
            case .entityChanged(let name): "entity \(name) " + details(ofEntity: name)
            default: change.description
            }
        }
    }

    private func details(ofEntity name: String) -> String {
        guard let entity = destination.entity(named: name), let former = former(name) else {
            return "changed"
        }
        var details: [String] = []
        if entity.isAbstract != former.isAbstract {
            details.append(entity.isAbstract ? "made abstract" : "no longer abstract")
        }
        if entity.deletePolicy != former.deletePolicy {
            details.append("has the delete policy \(entity.deletePolicy)")
        }
        return details.isEmpty ? "changed" : details.joined(separator: ", ")
    }

    // MARK: - Properties

    private func new(_ name: String, of entity: String) -> PropertyDescription? {
        destination.entity(named: entity)?.property(named: name)
    }

    private func old(_ name: String, of entity: String) -> PropertyDescription? {
        former(entity)?.property(named: name)
    }

    private func former(_ entity: String) -> EntityDescription? {
        destination.entity(named: entity)?.former(in: source)
    }

    /// The words for a change of a property of the new version; `nil` if they are said elsewhere.
    private func once(
        _ change: ModelChange, _ name: String, of entity: String, _ words: (String) -> String
    ) -> String? {
        guard let property = new(name, of: entity) else { return change.description }
        let owner = property.entity.name
        if owner != entity, reported.contains(change.moved(to: owner)) { return nil }
        return words(property.kind)
    }

    private func added(_ name: String, to entity: String, _ change: ModelChange) -> String? {
        once(change, name, of: entity) { kind in
            guard let owner = new(name, of: entity)?.entity else { return change.description }
            guard owner.name == entity else {
                return "\(kind) \(entity).\(name) added, inherited from \(owner.name)"
            }
            let formerOwner = owner.hierarchy.dropFirst().compactMap { lower in
                lower.former(in: source)?.property(named: name)?.entity
            }.first
            guard let formerOwner else { return "\(kind) \(change)" }
            return "\(kind) \(name) moved up from \(formerOwner.name) to \(entity)"
        }
    }

    private func removed(_ name: String, from entity: String, _ change: ModelChange) -> String? {
        guard let property = old(name, of: entity) else { return change.description }
        let owner = destination.entities.first { $0.former(in: source) == property.entity }
        if let owner, owner.name != entity, reported.contains(change.moved(to: owner.name)) {
            return nil
        }
        let lower = destination.entity(named: entity)?.hierarchy.dropFirst().compactMap { lower in
            lower.property(named: name)?.entity
        }.first
        guard let lower else { return "\(property.kind) \(change)" }
        return "\(property.kind) \(name) moved down from \(entity) to \(lower.name)"
    }

    /// The settings that a changed property has now; `nil` without such a setting.
    private func details(of name: String, in entity: String) -> String? {
        guard let property = new(name, of: entity) else { return nil }
        switch property {
        case .attribute(let attribute):
            if attribute.isTransient { return "made transient" }
            return attribute.isDerived ? "made derived" : "made stored"
        case .relationship(let relationship):
            if let former = old(name, of: entity), former.isTransient != relationship.isTransient {
                return relationship.isTransient ? "made transient" : "made stored"
            }
            let counts = PropertyText.counts(relationship) ?? "any number of objects"
            let limits = relationship.isToMany ? "now has \(counts)" : "changed"
            return relationship.isAcyclic ? limits + ", acyclic" : limits
        }
    }
}

extension PropertyDescription {
    var kind: String { attribute == nil ? "relationship" : "attribute" }
}

extension EntityDescription {
    /// The entity of an older version that became this one.
    func former(in source: ManagedObjectModel) -> EntityDescription? {
        declaration.renamingIdentifier.flatMap(source.entity(named:))
            ?? source.entity(named: name)
    }
}

extension ModelChange {
    /// The same change of a property, as another entity has it.
    fileprivate func moved(to entity: String) -> ModelChange {
        switch self {
        case .propertyAdded(_, let name): .propertyAdded(entity: entity, property: name)
        case .propertyRemoved(_, let name): .propertyRemoved(entity: entity, property: name)
        case .propertyRenamed(_, let former, let name):
            .propertyRenamed(entity: entity, from: former, to: name)
        case .typeWidened(_, let name, let former, let type):
            .typeWidened(entity: entity, property: name, from: former, to: type)
        case .mergeRuleChanged(_, let name, let former, let rule):
            .mergeRuleChanged(entity: entity, property: name, from: former, to: rule)
        case .optionalityChanged(_, let name, let isOptional):
            .optionalityChanged(entity: entity, property: name, isOptional: isOptional)
        case .propertyChanged(_, let name): .propertyChanged(entity: entity, property: name)
        default: self
        }
    }
}
