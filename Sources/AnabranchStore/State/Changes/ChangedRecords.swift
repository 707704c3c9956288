package import AnabranchModel

/// A visible record that does not show every value that is held for it, by itself or by its merged
/// duplicates.
package struct HidingRecord: Sendable {
    package let id: LocalID
    package let entity: EntityDescription
}

/// The changes that a page of remote change sets made to records, for contexts to refresh by ID.
package struct ChangedRecords: Sendable {
    /// Records in which the same slots have changed.
    package struct Update: Sendable {
        package var ids: [LocalID]
        /// The slots with a changed stored value, or with changed links on these records' side.
        package var slots: SlotSet

        package init(ids: [LocalID], slots: SlotSet) {
            self.ids = ids
            self.slots = slots
        }
    }

    /// The changes to one entity's records.
    package struct Entity: Sendable {
        package let entity: EntityDescription
        package var inserted: [LocalID] = []
        /// The updates; each record occurs once.
        package var updated: [Update] = []
        package var deleted: [LocalID] = []

        package init(_ entity: EntityDescription) { self.entity = entity }

        package var updatedIDs: some Sequence<LocalID> { updated.lazy.flatMap(\.ids) }
    }

    /// How much of a change the lists of records describe, in ascending order of what is missing.
    package enum Extent: Int, Comparable, Sendable {
        /// They have every record that shows something else.
        case complete
        /// Records at the former ends of changed relationships may be missing.
        case withoutFormerEnds
        /// Any other record may have changed too, or may have been deleted.
        case unknown

        package static func < (left: Extent, right: Extent) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    package var entities: [Entity]
    package var extent = Extent.complete
    /// The records of renamed branches, by their old IDs. The entities list the old IDs as deleted
    /// and the new ones as inserted.
    package var renamed: [LocalID: LocalID]
    /// The records that a context has replaced by others, which may have existed before. The store
    /// never fills this in.
    package var replaced: [LocalID: LocalID] = [:]
    /// The entries that the page has added to the conflict journal, in order.
    package var conflicts: [RecordedConflict] = []

    /// The visible records from which a view rule hides something since the page, each once.
    package var hiding: [HidingRecord] = []

    /// The numbers of this file's saves that turned out to be rejected.
    package var rejections: [RejectedSave.ID] = []

    /// The number of records that a snapshot has brought.
    package var snapshotRecordCount = 0

    package init(entities: [Entity] = [], renamed: [LocalID: LocalID] = [:]) {
        self.entities = entities
        self.renamed = renamed
    }

    package var isEmpty: Bool {
        replaced.isEmpty && extent != .unknown
            && entities.allSatisfy {
                $0.inserted.isEmpty && $0.updated.isEmpty && $0.deleted.isEmpty
            }
    }
}
