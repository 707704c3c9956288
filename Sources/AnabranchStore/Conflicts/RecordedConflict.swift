package import AnabranchModel

/// An entry that a page has added to the conflict journal, for those who have to be told.
package struct RecordedConflict: Sendable {
    package let id: Int64
    package let record: LocalID
    /// The record's own, as far as it is there; `nil` where the model does not know it.
    package let entity: EntityDescription?
}
