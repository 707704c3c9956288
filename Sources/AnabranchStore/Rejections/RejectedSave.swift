public import AnabranchReplication

/// A save that a zone rejected for good, with all that it wrote: what a person may want to save
/// again.
///
/// It is in this file only, and no part of the state: the records are as if it had never been.
public struct RejectedSave: Sendable, Identifiable {
    /// Its number in this file: greater than that of every earlier one, and never given again.
    public let id: Int64
    /// What was saved.
    public let changeSet: ChangeSet
    /// What later saves did to records that this one had inserted, and that went with them; in the
    /// order of this file's log. Of each set only these operations count.
    public let consequences: [ChangeSet]
    public let rejection: Rejection
    /// When this file learnt of it, since 1970-01-01 UTC.
    public let noticedMilliseconds: Int64

    /// Where the parts of saves in parts are.
    private let parts: any PartReading & Sendable

    package init(
        id: Int64, changeSet: ChangeSet, consequences: [ChangeSet], rejection: Rejection,
        noticedMilliseconds: Int64, parts: any PartReading & Sendable = NoParts()
    ) {
        self.parts = parts
        self.id = id
        self.changeSet = changeSet
        self.consequences = consequences
        self.rejection = rejection
        self.noticedMilliseconds = noticedMilliseconds
    }

    /// What the save did, then what later saves did to the records that it had inserted.
    ///
    /// - Throws: ``ChangeSetDecodingError`` where that is of a later format, ``StoreError`` where
    ///   it was discarded meanwhile.
    public func operations() throws -> [ChangeBlock] {
        var blocks: [ChangeBlock] = []
        try changeSet.forEachBlock(parts) { blocks.append($0) }
        let born = Set(blocks.flatMap(\.insertedRecords))
        for set in consequences {
            try set.forEachBlock(parts) { block in
                if let part = block.restricted(to: born.contains) { blocks.append(part) }
            }
        }
        return blocks
    }
}

/// Where no save has parts.
package struct NoParts: PartReading, Sendable {
    package init() {}

    package func bytes(of part: SavePart) throws -> [UInt8] {
        throw StoreError(.corrupt, "Can't read a part of a save because none are kept here.")
    }
}

extension ChangeBlock {
    package var insertedRecords: [RecordID] {
        if case .insert(let rows) = self { rows.records } else { [] }
    }
}
