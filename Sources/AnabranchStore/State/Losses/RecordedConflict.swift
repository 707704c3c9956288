package import AnabranchModel

/// An entry that a page has added to the conflict journal, to be reported.
package struct RecordedConflict: Sendable {
    package let id: Int64
    package let record: LocalID
    /// The record's own entity if the record exists; `nil` if the model does not know it.
    package let entity: EntityDescription?
}
