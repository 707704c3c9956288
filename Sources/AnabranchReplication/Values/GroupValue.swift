/// The value of an attribute group: the map of its members.
///
/// A group is one register. A write of any member writes all of them, and concurrent writes never
/// mix. Members that the author's model lacks are kept unchanged, so an older peer removes nothing.
///
/// A member is identified by its name and type: a member that changes its type is another member.
/// It has a value of an attribute or of a to-one relationship, never links or a group.
public struct GroupValue: Hashable, Sendable {
    /// One attribute of the group with its value.
    @usableFromInline package struct Member: Hashable, Sendable {
        package let name: WireName
        package let type: WireType
        /// The value; a reference is the whole identity of its target.
        package let value: PropertyValue

        package init(name: WireName, type: WireType, value: PropertyValue) {
            self.name = name
            self.type = type
            self.value = value
        }

        func precedes(_ other: Member) -> Bool {
            name != other.name ? name < other.name : type.rawValue < other.type.rawValue
        }
    }

    /// The members ordered by the bytes of their names, then by type, each once.
    @usableFromInline package let members: [Member]

    package static let empty = GroupValue(ordered: [])

    /// Creates a group.
    ///
    /// - Parameter members: Members in any order. Of several with one name and type the last is
    ///   kept.
    /// - Returns: `nil` if a value does not suit the type of its member, or there are more than
    ///   ``Limits/maximumMembers``. No reader would accept such a group.
    package init?(_ members: some Sequence<Member>) {
        var latest: [MemberKey: Member] = [:]
        for member in members {
            guard member.isWellFormed else { return nil }
            latest[MemberKey(name: member.name, type: member.type)] = member
        }
        guard latest.count <= Limits.maximumMembers else { return nil }
        self.init(ordered: latest.values.sorted { $0.precedes($1) })
    }

    init(ordered members: [Member]) { self.members = members }

    /// Creates a group from ordered members.
    ///
    /// - Parameter members: Members in ascending order, each once.
    /// - Returns: `nil` in the same cases as `init(_:)`.
    package init?(ascending members: [Member]) {
        guard members.count <= Limits.maximumMembers, members.allSatisfy(\.isWellFormed) else {
            return nil
        }
        assert(zip(members, members.dropFirst()).allSatisfy { $0.precedes($1) })
        self.init(ordered: members)
    }

    /// The value of a member, or `nil` if the group lacks the member. A member may also have the
    /// value null.
    package subscript(name: WireName, type: WireType) -> PropertyValue? {
        members.first { $0.name == name && $0.type == type }?.value
    }

    /// Returns the group with some members written and all others unchanged.
    ///
    /// - Returns: `nil` in the same cases as ``init(_:)``.
    package func replacing(_ written: some Sequence<Member>) -> GroupValue? {
        GroupValue(members + Array(written))
    }

    private struct MemberKey: Hashable {
        let name: WireName
        let type: WireType
    }
}

extension GroupValue.Member {
    /// Indicates whether every reader accepts the member.
    var isWellFormed: Bool {
        guard !type.isLinks, type != .group, type.accepts(tag: value.tag),
            value.tag != ValueTag.group, name.string.utf8.count <= Limits.longestName
        else { return false }
        guard let range = type.integers, case .integer(let number) = value else { return true }
        return range.contains(number)
    }
}
