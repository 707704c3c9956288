public import AnabranchReplication

/// A group of attributes of a checked model that merge as one value.
///
/// It is equal only to itself: descriptions of two models differ even if the models are equal.
public final class AttributeGroupDescription: Sendable {
    /// One attribute of the group, as the group's value holds it.
    public struct Member: Sendable {
        /// The attribute.
        public let attribute: AttributeDescription
        /// The key of the attribute in the group's value: its own wire name.
        public let name: WireName
        /// The type of the attribute on the wire.
        public let type: WireType
    }

    /// The name, which is the wire name too.
    public let name: String
    /// The name, type and merge rule under which the group and each member merge.
    public let wireProperty: WireProperty
    /// The members in the order of a `GroupValue`.
    public let members: [Member]

    /// Describes a declared group.
    ///
    /// - Parameter attributes: All its members, in any order.
    init(_ declaration: AttributeGroup, attributes: [AttributeDescription]) {
        name = declaration.name
        wireProperty = Self.wireProperty(named: declaration.name)
        members = attributes.map { attribute in
            Member(
                attribute: attribute, name: WireName(attribute.declaration.resolvedWireName),
                type: attribute.type.wireType)
        }.sorted { $0.name < $1.name }
    }

    static func wireProperty(named name: String) -> WireProperty {
        WireProperty(name: WireName(name), type: .group, rule: .group)
    }
}

extension AttributeGroupDescription {
    /// The members' values in a value of the group, in the members' order.
    ///
    /// A member that the value does not have, because a version of the model without it wrote the
    /// value, reads its default. A composite attribute without a value stays without one: all its
    /// elements read null.
    public func values(in value: Value) -> [Value] {
        guard case .group(let group) = value else { return members.map { _ in .null } }
        let present = members.map { group[$0.name, $0.type] }
        guard present.contains(where: { $0 == nil }) else { return present.map { $0 ?? .null } }
        let hasValue = present.contains { !($0?.isNull ?? true) }
        return zip(members, present).map { member, value in
            let attribute = member.attribute
            if attribute.isElement, !hasValue { return value ?? .null }
            return value ?? attribute.valueWhenNeverWritten
        }
    }
}

extension AttributeDescription {
    /// The value that a record shows if it was written by versions of the model without the
    /// attribute only. It counts neither in a merge nor in the canonical hash.
    ///
    /// A counter starts from null, which counts as zero. A key that was never written equals no
    /// other key.
    package var valueWhenNeverWritten: Value {
        wireProperty.rule == .counter || isInKey ? .null : defaultValue
    }

    private var isInKey: Bool {
        entity.root.hierarchy.contains { entity in
            entity.ownUniquenessConstraints.joined().contains { $0 == self }
        }
    }
}

extension AttributeGroupDescription: Hashable {
    /// Returns true if both are the same description.
    public static func == (
        left: AttributeGroupDescription, right: AttributeGroupDescription
    ) -> Bool { left === right }

    /// Hashes the identity of the description.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
