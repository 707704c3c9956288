package import AnabranchReplication

/// One difference between two versions of a model that an inferred migration reports.
///
/// Differences in default values, delete rules, validations and indexes are not reported.
package enum ModelChange: Hashable, Sendable {
    /// The new version has an entity that the old one lacks.
    case entityAdded(String)
    /// The old version has an entity that the new one lacks.
    case entityRemoved(String)
    /// An entity has another name.
    case entityRenamed(from: String, to: String)
    /// An entity became abstract, or is no longer abstract, or has another delete policy.
    case entityChanged(String)
    /// An entity has another super-entity.
    case entityMoved(String, from: String?, to: String?)
    /// An entity has a property that it lacked, its own or an inherited one.
    case propertyAdded(entity: String, property: String)
    /// An entity lacks a property that it had.
    case propertyRemoved(entity: String, property: String)
    /// A property has another name.
    case propertyRenamed(entity: String, from: String, to: String)
    /// A property may have no value, which it had to have, or the other way round.
    case optionalityChanged(entity: String, property: String, isOptional: Bool)
    /// An attribute has a type that shows every value of its former type.
    case typeWidened(entity: String, property: String, from: AttributeType, to: AttributeType)
    /// An attribute has another merge rule, under which it shows the values of its former one.
    case mergeRuleChanged(entity: String, property: String, from: MergeRule, to: MergeRule)
    /// A relationship became to-many, or to-one.
    case cardinalityChanged(entity: String, property: String, isToMany: Bool)
    /// A to-many became ordered, or unordered.
    case orderChanged(entity: String, property: String, isOrdered: Bool)
    /// An attribute became transient or derived, or is so no longer; or a relationship has other
    /// counts, or became transient or acyclic, or is so no longer.
    case propertyChanged(entity: String, property: String)
    /// An entity has a uniqueness constraint that it lacked.
    case constraintAdded(entity: String, attributes: [String])
    /// An entity lacks a uniqueness constraint that it had.
    case constraintRemoved(entity: String, attributes: [String])
}

extension ModelChange: CustomStringConvertible {
    /// The change in a few words.
    package var description: String {
        switch self {
        case .entityAdded(let name): "entity \(name) added"
        case .entityRemoved(let name): "entity \(name) removed"
        case .entityRenamed(let former, let name): "entity \(former) renamed to \(name)"
        case .entityChanged(let name): "entity \(name) changed"
        case .entityMoved(let name, let former, let parent):
            "entity \(name) moved from \(former ?? "no super-entity") to "
                + "\(parent ?? "no super-entity")"
        case .propertyAdded(let entity, let name): "\(entity).\(name) added"
        case .propertyRemoved(let entity, let name): "\(entity).\(name) removed"
        case .propertyRenamed(let entity, let former, let name):
            "\(entity).\(former) renamed to \(name)"
        case .optionalityChanged(let entity, let name, let isOptional):
            "\(entity).\(name) made \(isOptional ? "optional" : "mandatory")"
        case .typeWidened(let entity, let name, let former, let type):
            "\(entity).\(name) widened from \(former) to \(type)"
        case .mergeRuleChanged(let entity, let name, let former, let rule):
            "\(entity).\(name) merges by \(rule) instead of \(former)"
        case .cardinalityChanged(let entity, let name, let isToMany):
            "\(entity).\(name) made \(isToMany ? "to-many" : "to-one")"
        case .orderChanged(let entity, let name, let isOrdered):
            "\(entity).\(name) made \(isOrdered ? "ordered" : "unordered")"
        case .propertyChanged(let entity, let name): "\(entity).\(name) changed"
        case .constraintAdded(let entity, let attributes):
            "\(entity) made unique by \(attributes.joined(separator: ", "))"
        case .constraintRemoved(let entity, let attributes):
            "\(entity) no longer unique by \(attributes.joined(separator: ", "))"
        }
    }
}
