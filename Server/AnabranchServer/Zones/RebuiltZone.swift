import AnabranchReplication
import Foundation

/// A zone's state rebuilt from its log, in a temporary file that is removed afterwards.
struct RebuiltZone {
    private let storage: SQLiteZoneStorage
    private let folder: URL

    /// The number of records that are compared at a time.
    private static let window = 4096

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("anabranchd-\(UUID().uuidString)", isDirectory: true)
        try folder.makeDirectory()
        storage = try SQLiteZoneStorage(
            path: folder.appendingPathComponent("zone.sqlite").path, creating: true
        ) { EpochID(high: 0, low: 0) }
    }

    func remove() {
        storage.close()
        // A temporary folder that cannot be removed does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Merges a whole log.
    ///
    /// - Parameter log: A log that was never compacted.
    func merge(from log: any ZoneReading) throws {
        var position: UInt64 = 0
        while true {
            let page = try log.changeSets(after: position, byteLimit: 4 << 20)
            guard let cursor = page.cursor else { return }
            try storage.write { writer in
                var head = writer.logState().head
                for bytes in page.changeSets {
                    let changeSet = try ChangeSet(decoding: bytes)
                    head = head.advanced(over: changeSet)
                    try writer.append(ZoneLogEntry(changeSet: changeSet, bytes: [], cursor: head))
                    guard changeSet.kind.isSave else { continue }
                    _ = try StateMerger.merge(changeSet, ZoneParts(log), into: writer)
                }
            }
            position = cursor.position
        }
    }

    /// The records that differ between another state and the rebuilt one.
    func differences(from state: any ZoneReading) throws -> [RecordDifference] {
        try storage.read { truth in
            var differences: [RecordDifference] = []
            var range: RecordRange? = .all
            while let rest = range {
                let wanted = try truth.checksums(in: rest, limit: Self.window)
                let last = wanted.count < Self.window ? nil : wanted.last?.record
                let next = last.map { RecordID(replica: $0.replica, number: $0.number + 1) }
                var held: [RangeSummary.Entry] = []
                try state.forEachChecksum(in: RecordRange(lower: rest.lower, upper: next)) {
                    held.append($0)
                }
                differences += RecordDifference.between(held, wanted)
                range = next.map { RecordRange(lower: $0, upper: nil) }
            }
            return differences
        }
    }

    /// Replaces records by their rebuilt state.
    func put(_ differences: [RecordDifference], into writer: ZoneDraft) throws {
        try storage.read { truth in
            for difference in differences {
                try writer.remove([try writer.key(of: difference.record)]) { _, _ in }
            }
            for difference in differences {
                guard let record = try truth.image(of: difference.record).record else { continue }
                let row = try StateRow(record, in: writer)
                try writer.insert([row])
                try writer.replace([row])
            }
            for difference in differences {
                let image = try truth.image(of: difference.record)
                var links: [LinkKey: [UInt8]?] = [:]
                for link in image.record?.links ?? [] {
                    let key = try writer.key(of: link.property, from: image.id, to: link.right)
                    links[key] = try writer.encoded(link.tags, of: link.property)
                }
                for link in image.incoming {
                    let key = try writer.key(of: link.property, from: link.left, to: image.id)
                    links[key] = try writer.encoded(link.tags, of: link.property)
                }
                try writer.put(links)
            }
        }
    }
}

extension ZoneDraft {
    fileprivate func key(of record: RecordID) throws -> RecordKey {
        RecordKey(ordinal: try ordinal(of: record.replica), number: record.number)
    }

    fileprivate func key(
        of property: WireProperty, from left: RecordID, to right: RecordID
    ) throws -> LinkKey {
        LinkKey(
            left: try key(of: left), property: try number(ofProperty: property),
            right: try key(of: right))
    }

    fileprivate func encoded(_ tags: LinkTags, of property: WireProperty) throws -> [UInt8] {
        try StoredTags.encoded(tags, of: property, ordinal: ordinal(of:))
    }
}

extension StateRow {
    /// The row of a record; the record's least stamp becomes the stamp of the insert.
    fileprivate init(_ record: CanonicalRecord, in writer: ZoneDraft) throws {
        let stamp = record.cells.map(\.stamp).min()
        let timestamp = stamp?.timestamp.rawValue ?? 0
        let author = try writer.ordinal(of: stamp?.replica ?? record.id.replica)
        var list = CellList()
        let cells = record.cells.sorted { $0.stamp < $1.stamp }
        for (property, siblings) in Dictionary(grouping: cells, by: \.property) {
            let number = try writer.number(ofProperty: property)
            list.put(
                try siblings.map { cell in
                    var value = ByteWriter()
                    try StoredValue.append(cell.value, to: &value, ordinal: writer.ordinal(of:))
                    return CellList.Cell(
                        property: number, timestamp: cell.stamp.timestamp.rawValue,
                        author: try writer.ordinal(of: cell.stamp.replica),
                        value: StoredBytes(value.bytes[...]))
                }, of: number)
        }
        self.init(
            key: try writer.key(of: record.id),
            entity: try writer.number(ofEntity: record.entity), timestamp: timestamp,
            author: author, cells: list.encoded(timestamp: timestamp, author: author),
            seen: try record.deleteMark.map {
                try StoredTags.encoded($0.seen, ordinal: writer.ordinal(of:))
            }, isDead: record.isDead)
    }
}
