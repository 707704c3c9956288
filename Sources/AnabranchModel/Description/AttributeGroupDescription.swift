public import AnabranchReplication

/// Attributes of a checked model that travel and merge as one value.
///
/// Equal only to itself: two models have different descriptions, however alike.
public final class AttributeGroupDescription: Sendable {
    /// An attribute, as the group's value has it.
    public struct Member: Sendable {
        public let attribute: AttributeDescription
        public let name: WireName
        public let type: WireType
    }

    public let name: String
    /// What merges with what; of each member, too.
    public let wireProperty: WireProperty
    /// In the order of a ``GroupValue``.
    public let members: [Member]

    /// - Parameter attributes: All that are members, in any order.
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
    /// What a value of the group says of each member, in their order; of one that the value does
    /// not have, null.
    public func values(in value: Value) -> [Value] {
        guard case .group(let group) = value else { return members.map { _ in .null } }
        return members.map { group[$0.name, $0.type] ?? .null }
    }
}

extension AttributeGroupDescription: Hashable {
    public static func == (
        left: AttributeGroupDescription, right: AttributeGroupDescription
    ) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
