package import AnabranchModel

/// What a page of remote changes did to records, for contexts to refresh by ID.
package struct ChangedRecords: Sendable {
    /// Records in which the same has changed.
    package struct Update: Sendable {
        package var ids: [LocalID]
        /// Slots whose stored value or links have changed, on these records' side.
        package var slots: SlotSet

        package init(ids: [LocalID], slots: SlotSet) {
            self.ids = ids
            self.slots = slots
        }
    }

    /// The changes of one entity's records.
    package struct Entity: Sendable {
        package let entity: EntityDescription
        package var inserted: [LocalID] = []
        /// Each record once.
        package var updated: [Update] = []
        package var deleted: [LocalID] = []

        package init(_ entity: EntityDescription) { self.entity = entity }

        package var updatedIDs: some Sequence<LocalID> { updated.lazy.flatMap(\.ids) }
    }

    package var entities: [Entity]
    /// Records whose histories forked, by the names that they had before. The entities have the
    /// old names as deleted and the new ones as inserted.
    package var renamed: [LocalID: LocalID]
    /// Records that a context has let others stand for, which may have been there before. The
    /// store tells of none.
    package var replaced: [LocalID: LocalID] = [:]
    /// What the page has added to the conflict journal, in its order.
    package var conflicts: [RecordedConflict] = []

    /// Saves of this file that turned out to be rejected, by their numbers.
    package var rejections: [RejectedSave.ID] = []

    package init(entities: [Entity] = [], renamed: [LocalID: LocalID] = [:]) {
        self.entities = entities
        self.renamed = renamed
    }

    package var isEmpty: Bool {
        replaced.isEmpty
            && entities.allSatisfy {
                $0.inserted.isEmpty && $0.updated.isEmpty && $0.deleted.isEmpty
            }
    }
}
