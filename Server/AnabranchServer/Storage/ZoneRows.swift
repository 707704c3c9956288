package import AnabranchReplication

/// Some rows of a zone, in the form in which every back end can read and write them.
///
/// The numbers of replicas, entities and properties are the zone's own and stay the same in a copy.
package enum ZoneRows: Sendable {
    case replicas([ReplicaRow])
    case entities([(number: Int64, name: WireName)])
    case properties([(number: Int64, property: WireProperty)])
    case entries([LogRow])
    case records([RecordRow])
    case links([(link: LinkKey, tags: [UInt8])])
    case acknowledgements([(replica: ReplicaID, position: Acknowledgement)])
    /// The saves of the log that list a part.
    case logParts([(part: SavePart, position: UInt64)])
    case pieces([PartPiece])
}

/// A replica that a zone knows.
package struct ReplicaRow: Hashable, Sendable {
    package var ordinal: Int64
    package var id: ReplicaID
    /// The last change set that is held of it; `nil` for a replica that is only mentioned.
    package var head: ReplicaHead?
}

/// An entry of a log. Its change set is empty if the log was compacted beyond it.
package struct LogRow: Hashable, Sendable {
    package var position: UInt64
    package var kind: LogEntryKind
    package var author: Int64
    package var sequence: UInt64
    package var timestamp: UInt64
    package var origin: Digest
    package var digest: Digest
    /// The running digest after the entry.
    package var running: ReplicaID
    package var changeSet: [UInt8]
}

/// A record of the merged state, with the position since which it is dead; zero if it is alive.
package struct RecordRow: Hashable, Sendable {
    package var row: StateRow
    package var dead: UInt64
}

/// A piece of a part of a save.
package struct PartPiece: Hashable, Sendable {
    package var part: SavePart
    package var start: Int
    package var bytes: [UInt8]
}
