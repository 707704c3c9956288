package import AnabranchReplication

/// A group of attributes of a checked model that merge as one value.
///
/// It is equal only to itself: descriptions of two models differ even if the models are equal.
package final class AttributeGroupDescription: Sendable {
    /// One attribute of the group, as the group's value holds it.
    package struct Member: Sendable {
        package let attribute: AttributeDescription
        /// The key of the attribute in the group's value: its own wire name.
        package let name: WireName
        package let type: WireType
    }

    /// The name, which is the wire name too.
    package let name: String
    /// The name, type and merge rule under which the group and each member merge.
    package let wireProperty: WireProperty
    /// The members in the order of a `GroupValue`.
    package let members: [Member]
    /// Decides which members show their defaults.
    package let defaults: GroupDefaults

    /// Describes a declared group.
    ///
    /// - Parameters:
    ///   - attributes: All its members, in any order.
    ///   - composite: The composite attribute that has the members as its elements; `nil` if they
    ///     are no elements.
    init(
        _ declaration: AttributeGroup, attributes: [AttributeDescription],
        composite: CompositeAttribute?
    ) {
        name = declaration.name
        wireProperty = Self.wireProperty(named: declaration.name)
        let members = attributes.map { attribute in
            Member(
                attribute: attribute, name: WireName(attribute.declaration.resolvedWireName),
                type: attribute.type.wireType)
        }.sorted { $0.name < $1.name }
        self.members = members
        defaults = GroupDefaults(members.map(\.attribute), of: composite)
    }

    static func wireProperty(named name: String) -> WireProperty {
        WireProperty(name: WireName(name), type: .group, rule: .group)
    }
}

extension AttributeGroupDescription: Hashable {
    /// Returns true if both are the same description.
    package static func == (
        left: AttributeGroupDescription, right: AttributeGroupDescription
    ) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
