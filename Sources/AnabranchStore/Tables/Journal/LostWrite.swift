import AnabranchReplication

/// A discarded value before it is written to the journal.
struct LostWrite {
    var kind: Conflict.Kind
    var record: LocalID
    var entity: WireName
    var property: WireProperty
    /// The lost value in its wire form.
    var value: Value
    var lost: LocalStamp
    var winner: LocalStamp?
    /// The winning value in its wire form; `nil` if a delete won.
    var winningValue: Value?
}
