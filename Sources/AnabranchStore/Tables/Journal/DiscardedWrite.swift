package import AnabranchModel
import AnabranchReplication

/// A discarded value before it is written to the journal.
struct DiscardedWrite {
    var kind: ConflictEntry.Kind
    var record: LocalID
    var entity: WireName
    var property: WireProperty
    /// The discarded value in its wire form.
    var value: PropertyValue
    var lost: LocalStamp
    var winner: LocalStamp?
    /// The winning value in its wire form; `nil` if a delete won.
    var winningValue: PropertyValue?

    /// Returns the write as a deletion of its record has discarded it.
    ///
    /// - Parameter isUnseen: False if the deleting replica had seen this write, but not another one
    ///   to the record.
    func deleted(by winner: LocalStamp?, isUnseen: Bool) -> DiscardedWrite {
        var loss = self
        loss.winner = winner
        if !isUnseen, kind == .deletedWhileWritten { loss.kind = .deletedWithRecord }
        return loss
    }
}

/// An entry that a page has added to the conflict journal, to be reported.
package struct RecordedConflict: Sendable {
    package let id: Int64
    package let record: LocalID
    /// The record's own entity if the record exists; `nil` if the model does not know it.
    package let entity: EntityDescription?
}
