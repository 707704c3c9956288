#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The value of a to-one relationship that has an ordered inverse: the target, and the record's
/// position in the target's list.
///
/// Both are one register, so of concurrent moves to any lists one stays whole. On the wire the
/// value is a group of two members, `position` (data) and `target` (reference). A to-one without a
/// target is null.
package struct ListEntry: Hashable, Sendable {
    /// The record that the relationship points to.
    package var target: RecordID
    /// The position in the target's list.
    package var position: ListPosition

    /// Creates the entry for a position in the target's list.
    package init(target: RecordID, position: ListPosition) {
        self.target = target
        self.position = position
    }

    private static let positionName: WireName = "position"
    private static let targetName: WireName = "target"

    /// Reads an entry from the value of a property.
    ///
    /// - Returns: `nil` for any other value: null, a group with other members, or a malformed
    ///   position.
    package init?(_ value: PropertyValue) {
        guard case .group(let group) = value, group.members.count == 2,
            case .reference(let target)? = group[Self.targetName, .reference],
            case .data(let bytes)? = group[Self.positionName, .data],
            let position = ListPosition(bytes: [UInt8](bytes))
        else { return nil }
        self.init(target: target, position: position)
    }

    /// The record that a value of a to-one relationship points to, whether its inverse is ordered
    /// or not. It is `nil` if there is no target.
    package static func target(of value: PropertyValue) -> RecordID? {
        if case .reference(let target) = value { return target }
        return ListEntry(value)?.target
    }

    /// The entry as the value of a property.
    package var value: PropertyValue {
        .group(
            GroupValue(ordered: [
                .init(name: Self.positionName, type: .data, value: .data(Data(position.bytes))),
                .init(name: Self.targetName, type: .reference, value: .reference(target)),
            ]))
    }
}
