package import AnabranchModel
package import AnabranchReplication

/// Everything that one save of a context changes, in groups that each become one block of the
/// change set and one prepared statement.
package struct SaveRequest: Sendable {
    /// New records; every stored slot of their entity is written.
    package struct Insert: Sendable {
        package let entity: EntityDescription
        package var rows: SlotTable

        /// Creates an insertion.
        ///
        /// - Parameter slots: The slots that have a column in the entity's table, ascending.
        package init(entity: EntityDescription, slots: [Int]) {
            self.entity = entity
            rows = SlotTable(slots: slots)
        }

        package init(entity: EntityDescription) {
            self.entity = entity
            rows = SlotTable(storedSlotsOf: entity)
        }
    }

    /// Records of one entity in which the same slots have changed.
    package struct Update: Sendable {
        package let entity: EntityDescription
        package var rows: SlotTable
        /// The versions of the rows when they were read.
        package internal(set) var versions: [RowVersion] = []

        /// Creates an update.
        ///
        /// - Parameter slots: Stored slots, ascending. An attribute group with one of them is
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

        /// Adds a record.
        ///
        /// - Parameter row: The values of all slots of the record's entity.
        package mutating func append(
            _ id: LocalID, _ version: RowVersion, _ row: UnsafeBufferPointer<PropertyValue>
        ) {
            versions.append(version)
            rows.append(id, row)
        }
    }

    /// Records of one entity, each with the version of its row when it was read.
    package struct Records: Sendable {
        package var entity: EntityDescription
        package var rows: [(id: LocalID, version: RowVersion)]

        package init(entity: EntityDescription, rows: [(id: LocalID, version: RowVersion)]) {
            self.entity = entity
            self.rows = rows
        }
    }

    /// A change of one link of a relationship that is stored as links, described from either side.
    package struct LinkChange: Sendable {
        package var relationship: RelationshipDescription
        package var owner: LocalID
        package var other: LocalID
        package var isAdded: Bool
        /// The state of the store in which the author of a removal has seen the link. The link is
        /// unknown to the author if it was added later. It is `nil` if nothing is unknown.
        package var seen: RowVersion?

        package init(
            relationship: RelationshipDescription, owner: LocalID, other: LocalID, isAdded: Bool,
            seen: RowVersion? = nil
        ) {
            self.relationship = relationship
            self.owner = owner
            self.other = other
            self.isAdded = isAdded
            self.seen = seen
        }
    }

    /// The positions of objects in one owner's list.
    package struct ListChange: Sendable {
        /// The ordered to-many relationship.
        package var relationship: RelationshipDescription
        package var owner: LocalID
        /// The whole list in the context, or its end.
        package var order: [LocalID]
        /// The members of `order` that were added or moved. The others stay where they are in the
        /// store.
        package var placed: Set<LocalID>
        /// True if `order` is only the end of the list. All its members are then placed after the
        /// existing ones.
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
    package var deletes: [Records] = []
    /// Records that the request neither updates nor deletes, but that must be unchanged since they
    /// were read. A request with nothing else is empty, so nothing is saved or compared.
    package var checks: [Records] = []
    package var links: [LinkChange] = []
    /// Changes of list positions. An object that is added without a position goes to the list's
    /// end. An object that moves in a one-to-many is also updated in the slot of its reference.
    package var lists: [ListChange] = []
    /// Values of attribute groups for records that this request writes. Their members that the
    /// model does not know replace the held ones.
    package var carriedGroups: [LocalID: [WireProperty: GroupValue]] = [:]

    /// For records with edits that were laid over newer stored values: by slot, the version on
    /// which the edit was made. A value of the slot that was stored later is unknown to the author
    /// of this save, which discards it. For a deleted record all slots count.
    package var seenVersions: [LocalID: [Int: RowVersion]] = [:]
    /// For deleted records with relationships that are stored as links: by slot, what the author of
    /// the deletion has seen of them.
    package var seenLinks: [LocalID: [Int: SeenLinks]] = [:]
    /// True if an unknown value or link is a merge conflict. If it is false, the conflict journal
    /// gets it.
    package var refusesUnseenValues = false

    package init(author: String = "", name: String = "") {
        self.author = author
        self.name = name
    }

    package var isEmpty: Bool {
        inserts.allSatisfy(\.rows.isEmpty) && updates.allSatisfy(\.rows.isEmpty)
            && deletes.allSatisfy(\.rows.isEmpty) && links.isEmpty && lists.isEmpty
    }
}

/// The result of a save.
package struct SaveResult: Sendable {
    /// The dot of the change set; `nil` if there was nothing to save, or nothing that is synced.
    package let dot: Dot?
    /// The version of every inserted or updated row.
    package let version: RowVersion
    /// True if the save has written something.
    package var isWritten: Bool { version != .none }
    /// Inserted records that got other IDs, because the file has taken a new replica ID since their
    /// numbers were reserved. References in the request were changed too.
    package let renamed: [LocalID: LocalID]
    /// Records that the save has not written, but that show something else because of it.
    package var shown = ChangedRecords()
    /// The journal's entries of the values that the save has discarded.
    package internal(set) var conflicts: [RecordedConflict] = []
}
