#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a to-one relationship holds whose inverse is ordered: whom it refers to, and where the
/// record stands in that one's list.
///
/// The two are one register, so that of concurrent moves, to whatever list, one stays whole. It
/// travels as a group of the two members `position` (data) and `target` (reference); a to-one
/// that leads nowhere is null.
public struct ListEntry: Hashable, Sendable {
    public var target: RecordID
    public var position: ListPosition

    public init(target: RecordID, position: ListPosition) {
        self.target = target
        self.position = position
    }

    private static let positionName: WireName = "position"
    private static let targetName: WireName = "target"

    /// - Returns: `nil` for any other value: null, a group with members of a later version, a
    ///   position that is none.
    public init?(_ value: Value) {
        guard case .group(let group) = value, group.members.count == 2,
            case .reference(let target)? = group[Self.targetName, .reference],
            case .data(let bytes)? = group[Self.positionName, .data],
            let position = ListPosition(bytes: [UInt8](bytes))
        else { return nil }
        self.init(target: target, position: position)
    }

    /// Whom the value of a to-one relationship refers to, into a list or not; `nil` for nobody.
    public static func target(of value: Value) -> RecordID? {
        if case .reference(let target) = value { return target }
        return ListEntry(value)?.target
    }

    public var value: Value {
        .group(
            GroupValue(ordered: [
                .init(name: Self.positionName, type: .data, value: .data(Data(position.bytes))),
                .init(name: Self.targetName, type: .reference, value: .reference(target)),
            ]))
    }
}
