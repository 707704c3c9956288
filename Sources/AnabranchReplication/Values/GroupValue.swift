/// Attributes that change together, as one value: the map of its members.
///
/// A group is one register: a write of any member writes all of them, and concurrent writes never
/// mix. Members that the writer's model does not have are carried as they are, so that an older
/// peer takes nothing away (``replacing(_:)``).
///
/// A member is told by its name and type, as a property is: a member whose type changes is another
/// member. It holds what an attribute or a to-one relationship holds, never links or a group.
public struct GroupValue: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        public let name: WireName
        public let type: WireType
        public let value: Value

        public init(name: WireName, type: WireType, value: Value) {
            self.name = name
            self.type = type
            self.value = value
        }

        func precedes(_ other: Member) -> Bool {
            name != other.name ? name < other.name : type.rawValue < other.type.rawValue
        }
    }

    /// By name in bytes, then by type, each once.
    public let members: [Member]

    public static let empty = GroupValue(ordered: [])

    /// - Parameter members: In any order; of several of one name and type the last stays.
    /// - Returns: `nil` where a member has a value that is not of its type, or there are more than
    ///   ``Limits/mostMembers``: nobody could read such a group.
    public init?(_ members: some Sequence<Member>) {
        var latest: [MemberKey: Member] = [:]
        for member in members {
            guard member.isWellFormed else { return nil }
            latest[MemberKey(name: member.name, type: member.type)] = member
        }
        guard latest.count <= Limits.mostMembers else { return nil }
        self.init(ordered: latest.values.sorted { $0.precedes($1) })
    }

    init(ordered members: [Member]) { self.members = members }

    /// - Parameter members: In order, each once.
    /// - Returns: `nil` as ``init(_:)`` does.
    package init?(ascending members: [Member]) {
        guard members.count <= Limits.mostMembers, members.allSatisfy(\.isWellFormed) else {
            return nil
        }
        assert(zip(members, members.dropFirst()).allSatisfy { $0.precedes($1) })
        self.init(ordered: members)
    }

    /// - Returns: `nil` where the group does not have the member, which is not null.
    public subscript(name: WireName, type: WireType) -> Value? {
        members.first { $0.name == name && $0.type == type }?.value
    }

    /// The group with some members written and all others carried as they are.
    ///
    /// - Returns: `nil` as ``init(_:)`` does.
    public func replacing(_ written: some Sequence<Member>) -> GroupValue? {
        GroupValue(members + Array(written))
    }

    private struct MemberKey: Hashable {
        let name: WireName
        let type: WireType
    }
}

extension GroupValue.Member {
    /// Whether every reader takes it.
    var isWellFormed: Bool {
        guard !type.isLinks, type != .group, type.accepts(tag: value.tag),
            value.tag != ValueTag.group, name.string.utf8.count <= Limits.longestName
        else { return false }
        guard let range = type.integers, case .integer(let number) = value else { return true }
        return range.contains(number)
    }
}
