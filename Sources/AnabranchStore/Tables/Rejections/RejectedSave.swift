public import AnabranchReplication
public import Foundation

/// A save that a zone has rejected permanently, with everything that it wrote, so that a person can
/// save it again.
///
/// It is kept in this file only and is not part of the state: the records are as if the save had
/// never happened.
public struct RejectedSave: Sendable, Identifiable {
    /// The save's number in this file: greater than that of every earlier rejected save, and never
    /// reused.
    public let id: Int64
    /// The change set that was rejected.
    package let changeSet: ChangeSet
    /// Later change sets that changed records which this save had inserted, in the order of this
    /// file's log. Only their operations on these records count.
    package let consequences: [ChangeSet]
    /// The zone's reason.
    public let rejection: SaveRejection
    /// The time when this file learned of the rejection, in milliseconds since 1970-01-01 UTC.
    package let noticedMilliseconds: Int64

    /// The author name that the app gave when it saved.
    public var author: String { changeSet.author }
    /// The time of the save by the clock of the device that saved.
    public var date: Date { changeSet.timestamp.date }

    private let parts: any PartReading & Sendable

    package init(
        id: Int64, changeSet: ChangeSet, consequences: [ChangeSet], rejection: SaveRejection,
        noticedMilliseconds: Int64, parts: any PartReading & Sendable = NoParts()
    ) {
        self.parts = parts
        self.id = id
        self.changeSet = changeSet
        self.consequences = consequences
        self.rejection = rejection
        self.noticedMilliseconds = noticedMilliseconds
    }

    /// The operations of the save, followed by those of later saves on records that it had
    /// inserted.
    ///
    /// - Throws: ``ChangeSetDecodingError`` if an operation is of a later format; ``StoreError`` if
    ///   the rejected save was discarded meanwhile.
    package func operations() throws -> [ChangeBlock] {
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

/// A source of parts for saves that have none.
package struct NoParts: PartReading, Sendable {
    package func bytes(of part: SavePart) throws -> [UInt8] {
        throw StoreError(.corrupt, "Can't read a part of a save because no parts are stored.")
    }
}

extension ChangeBlock {
    package var insertedRecords: [RecordID] {
        if case .insert(let rows) = self { rows.records } else { [] }
    }
}
