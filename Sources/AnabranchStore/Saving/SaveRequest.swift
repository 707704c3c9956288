package import AnabranchModel
package import AnabranchReplication

/// Everything that one save of a context changes, grouped so that each group is one block of the
/// change set and one prepared statement.
package struct SaveRequest: Sendable {
    /// New records; every stored slot of their entity is written.
    package struct Insert: Sendable {
        package let entity: EntityDescription
        package var rows: SlotTable

        package init(entity: EntityDescription) {
            self.entity = entity
            rows = SlotTable(storedSlotsOf: entity)
        }
    }

    /// Records of one entity of which the same slots have changed.
    package struct Update: Sendable {
        package let entity: EntityDescription
        package var rows: SlotTable
        /// That the rows had when they were read.
        package private(set) var versions: [RowVersion] = []

        /// - Parameter slots: Stored ones, ascending. A group that one of them belongs to is
        ///   written whole.
        package init(entity: EntityDescription, slots: [Int]) {
            self.entity = entity
            rows = SlotTable(slots: Self.withGroups(slots, of: entity))
        }

        private static func withGroups(_ slots: [Int], of entity: EntityDescription) -> [Int] {
            guard !entity.attributeGroups.isEmpty else { return slots }
            var all = Set(slots)
            for group in entity.attributeGroups {
                let members = group.members.map(\.attribute.slot)
                if !all.isDisjoint(with: members) { all.formUnion(members) }
            }
            return all.count == slots.count ? slots : all.sorted()
        }

        /// - Parameter row: The values of all slots of the record's entity.
        package mutating func append(
            _ id: LocalID, _ version: RowVersion, _ row: UnsafeBufferPointer<Value>
        ) {
            versions.append(version)
            rows.append(id, row)
        }
    }

    package struct Delete: Sendable {
        package var entity: EntityDescription
        package var rows: [(id: LocalID, version: RowVersion)]

        package init(
            entity: EntityDescription, rows: [(id: LocalID, version: RowVersion)]
        ) {
            self.entity = entity
            self.rows = rows
        }
    }

    /// Records that are not written, and have to be as they were read all the same.
    package struct Check: Sendable {
        package let entity: EntityDescription
        package var rows: [(id: LocalID, version: RowVersion)]

        package init(
            entity: EntityDescription, rows: [(id: LocalID, version: RowVersion)]
        ) {
            self.entity = entity
            self.rows = rows
        }
    }

    /// One link of a relationship that is stored as links, given from either side.
    package struct LinkChange: Sendable {
        package var relationship: RelationshipDescription
        package var owner: LocalID
        package var other: LocalID
        package var isAdded: Bool

        package init(
            relationship: RelationshipDescription, owner: LocalID, other: LocalID, isAdded: Bool
        ) {
            self.relationship = relationship
            self.owner = owner
            self.other = other
            self.isAdded = isAdded
        }
    }

    /// Where objects stand in one owner's list.
    package struct ListChange: Sendable {
        /// The ordered to-many.
        package var relationship: RelationshipDescription
        package var owner: LocalID
        /// The whole list as the context has it, or its end.
        package var order: [LocalID]
        /// Those of it that were added or moved; the others stay where the store has them.
        package var placed: Set<LocalID>
        /// Whether the order is the list's end, all of it placed, behind what the store has.
        package var isEnd: Bool

        package init(
            relationship: RelationshipDescription, owner: LocalID, order: [LocalID],
            placed: Set<LocalID>, isEnd: Bool = false
        ) {
            self.relationship = relationship
            self.owner = owner
            self.order = order
            self.placed = placed
            self.isEnd = isEnd
        }
    }

    package var author: String
    package var name: String
    package var inserts: [Insert] = []
    package var updates: [Update] = []
    package var deletes: [Delete] = []
    /// Of records that the request neither updates nor deletes. A request of nothing else is
    /// empty: nothing is saved, so nothing is compared.
    package var checks: [Check] = []
    package var links: [LinkChange] = []
    /// What is added without a place goes to the list's end. An object that moves in a one-to-many
    /// is also updated in the slot of its reference.
    package var lists: [ListChange] = []
    /// Of records that this request writes, values of groups whose members that the model does not
    /// know are written instead of those that are held.
    package var carriedGroups: [LocalID: [WireProperty: GroupValue]] = [:]

    package init(author: String = "", name: String = "") {
        self.author = author
        self.name = name
    }

    package var isEmpty: Bool {
        inserts.allSatisfy(\.rows.isEmpty) && updates.allSatisfy(\.rows.isEmpty)
            && deletes.allSatisfy(\.rows.isEmpty) && links.isEmpty && lists.isEmpty
    }
}

/// What a save has made of a request.
package struct SaveResult: Sendable {
    /// `nil` where there was nothing to save.
    package let dot: Dot?
    /// Of every inserted and every updated row.
    package let version: RowVersion
    /// Inserted records that got other IDs, because the file has taken a new replica ID since
    /// their numbers were reserved. References in the request were changed too.
    package let renamed: [LocalID: LocalID]
    /// Records that show something else because of the save, though it has not written them.
    package var shown = ChangedRecords()
}
