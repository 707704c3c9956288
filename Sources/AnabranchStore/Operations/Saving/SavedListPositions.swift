import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The positions that one save assigns in ordered relationships.
///
/// The context describes a position by its neighbours. The store looks these up among the present
/// positions and places the object after its predecessor, even if another save has inserted objects
/// there meanwhile.
struct SavedListPositions {
    private struct Owner: Hashable {
        let relationship: RelationshipDescription
        let id: LocalID
    }

    private struct Entry: Hashable {
        let owner: Owner
        let member: LocalID
    }

    private let connection: Connection
    private let schema: StoreSchema
    private let dot: Dot
    private lazy var maker = ListPositionGenerator(dot)
    private var positions: [Entry: ListPosition] = [:]
    /// The last positions of the lists for which they were needed.
    private var ends: [Owner: ListPosition?] = [:]

    init(_ connection: Connection, schema: StoreSchema, dot: Dot) {
        self.connection = connection
        self.schema = schema
        self.dot = dot
    }

    /// Assigns positions to the objects that a context has added or moved.
    mutating func place(_ list: SaveRequest.ListChange) throws {
        let owner = Owner(relationship: list.relationship, id: list.owner)
        if list.isEnd {
            for member in list.order { try append(member, to: owner) }
            return
        }
        let present = try self.present(owner).filter { !list.placed.contains($0.key) }
        var sorted = present.values.sorted()
        var ahead: ListPosition?
        for member in list.order {
            guard list.placed.contains(member) else {
                if let position = present[member] { ahead = position }
                continue
            }
            let place = ahead.map { Self.place(behind: $0, in: sorted) } ?? 0
            let made = maker.position(
                between: ahead, and: place < sorted.count ? sorted[place] : nil)
            try check(made, of: list.relationship)
            sorted.insert(made, at: place)
            positions[Entry(owner: owner, member: member)] = made
            ahead = made
        }
        ends[owner] = .some(sorted.last)
    }

    /// Returns the position that a member has in a list after this save.
    ///
    /// A position that this save has assigned replaces the held one. A member with neither gets a
    /// position at the end of the list.
    ///
    /// - Parameter held: The present position of the member; `nil` if it is new in the list.
    /// - Throws: ``StoreError`` `saveTooLarge` if the new position is too long.
    mutating func position(
        of member: LocalID, in owner: LocalID, _ relationship: RelationshipDescription,
        over held: ListPosition? = nil
    ) throws -> ListPosition {
        let owner = Owner(relationship: relationship, id: owner)
        if let position = positions[Entry(owner: owner, member: member)] ?? held { return position }
        return try append(member, to: owner)
    }

    /// Stores the last position of a list, before links are hidden.
    mutating func recordEnd(of owner: LocalID, _ relationship: RelationshipDescription) throws {
        let owner = Owner(relationship: relationship, id: owner)
        if ends[owner] == nil { ends[owner] = .some(try end(of: owner)) }
    }

    @discardableResult
    private mutating func append(_ member: LocalID, to owner: Owner) throws -> ListPosition {
        let end = try ends[owner] ?? self.end(of: owner)
        let made = maker.position(between: end, and: nil)
        try check(made, of: owner.relationship)
        ends[owner] = .some(made)
        positions[Entry(owner: owner, member: member)] = made
        return made
    }

    /// The index of the first position that is greater.
    private static func place(behind position: ListPosition, in sorted: [ListPosition]) -> Int {
        sorted.partitioningIndex { $0 > position }
    }

    private func check(_ position: ListPosition, of relationship: RelationshipDescription) throws {
        guard position.bytes.count > Limits.longestPosition else { return }
        throw StoreError(
            .saveTooLarge,
            "Can't save \(relationship) because too many objects were inserted between the same "
                + "two. Move the next object to the list's end and back first.",
            entity: relationship.entity.name, property: relationship.name)
    }

    // MARK: - Positions in the store

    /// The SQL of a list: the columns of the member, of its position and of the owner, and the
    /// table.
    private struct Source {
        let member: String
        let position: String
        let owner: String
        let table: String
    }

    private func sources(of relationship: RelationshipDescription) -> [Source] {
        switch relationship.storage {
        case .reference, .memory: return []
        case .inverseReference:
            guard let inverse = relationship.inverse else { return [] }
            let table = schema.layout(of: inverse.entity).table
            return table.columns.filter { $0.property == .relationship(inverse) }.compactMap {
                column in
                column.position.map {
                    Source(member: "ab_pk", position: $0, owner: column.name, table: table.name)
                }
            }
        case .links(let side):
            guard let table = schema.links(of: relationship)?.name else { return [] }
            let left = Source(
                member: "right", position: "left_position", owner: "left", table: table)
            let right = Source(
                member: "left", position: "right_position", owner: "right", table: table)
            switch side {
            case .left: return [left]
            case .right: return [right]
            case .both: return [left, right]
            }
        }
    }

    private func present(_ owner: Owner) throws -> [LocalID: ListPosition] {
        var present: [LocalID: ListPosition] = [:]
        for source in sources(of: owner.relationship) {
            let statement = try connection.cached(
                """
                SELECT \(source.member), \(source.position) FROM \(source.table)
                WHERE \(source.owner) = ?
                """)
            try statement.bind(owner.id, at: 1)
            while try statement.step() {
                guard !statement.isNull(at: 1) else { continue }
                present[statement.int64(at: 0)] = ListPosition(bytes: statement.bytes(at: 1))
            }
        }
        return present
    }

    private func end(of owner: Owner) throws -> ListPosition? {
        var ends: [ListPosition] = []
        for source in sources(of: owner.relationship) {
            let statement = try connection.cached(
                "SELECT max(\(source.position)) FROM \(source.table) WHERE \(source.owner) = ?")
            try statement.bind(owner.id, at: 1)
            guard try statement.step(), !statement.isNull(at: 0) else { continue }
            if let end = ListPosition(bytes: statement.bytes(at: 0)) { ends.append(end) }
            statement.reset()
        }
        return ends.max()
    }
}
