import AnabranchReplication

/// A table with rows of a zone, as every back end has it.
package struct ZoneTable: Sendable {
    enum ColumnType: String {
        case bigint
        case bytea
    }

    let name: String
    let columns: [(name: String, type: ColumnType)]
    /// The number of the first columns, which name a row.
    let keyCount: Int
    /// True if a row that is inserted replaces one with the same key.
    let isReplacing: Bool

    private init(
        _ name: String, _ columns: KeyValuePairs<String, ColumnType>, keyCount: Int = 1,
        isReplacing: Bool = false
    ) {
        self.name = name
        self.columns = columns.map { ($0.key, $0.value) }
        self.keyCount = keyCount
        self.isReplacing = isReplacing
    }

    static let replica = ZoneTable(
        "replica", ["ordinal": .bigint, "id": .bytea, "sequence": .bigint, "origin": .bytea])
    static let entity = ZoneTable("entity", ["number": .bigint, "name": .bytea])
    static let property = ZoneTable(
        "property", ["number": .bigint, "name": .bytea, "type": .bigint, "rule": .bigint])
    static let log = ZoneTable(
        "log",
        [
            "position": .bigint, "kind": .bigint, "replica": .bigint, "sequence": .bigint,
            "timestamp": .bigint, "origin": .bytea, "digest": .bytea, "running": .bytea,
            "change_set": .bytea,
        ])
    static let record = ZoneTable(
        "record",
        [
            "key": .bigint, "entity": .bigint, "timestamp": .bigint, "author": .bigint,
            "cells": .bytea, "seen": .bytea, "dead": .bigint,
        ])
    static let link = ZoneTable(
        "link", ["left": .bigint, "property": .bigint, "right": .bigint, "tags": .bytea],
        keyCount: 3)
    static let acknowledgement = ZoneTable(
        "acknowledgement", ["replica": .bytea, "position": .bigint, "seen": .bigint],
        isReplacing: true)
    static let part = ZoneTable(
        "part", ["digest": .bytea, "size": .bigint, "start": .bigint, "bytes": .bytea],
        keyCount: 3)
    static let logPart = ZoneTable(
        "log_part", ["digest": .bytea, "size": .bigint, "position": .bigint], keyCount: 3,
        isReplacing: true)

    static let all = [
        replica, entity, property, log, record, link, acknowledgement, part, logPart,
    ]
}

/// The values of one column of some rows.
enum ColumnValues {
    case integers([Int64])
    case blobs([[UInt8]?])
}

extension ColumnValues {
    fileprivate static func numbers(_ numbers: [UInt64]) -> ColumnValues {
        .integers(numbers.map { Int64(clamping: $0) })
    }

    fileprivate static func names(_ names: [WireName]) -> ColumnValues {
        .blobs(names.map { Array($0.string.utf8) })
    }
}

/// The columns of some rows, or those of their keys alone.
struct RowColumns {
    let table: ZoneTable
    let values: [ColumnValues]

    var count: Int {
        switch values.first {
        case .integers(let numbers): numbers.count
        case .blobs(let blobs): blobs.count
        case nil: 0
        }
    }
}

extension ZoneChanges {
    var removed: [RowColumns] {
        [
            RowColumns(table: .record, values: [.integers(removedRecords.map(\.rawValue))]),
            RowColumns(table: .link, values: removedLinks.columns),
        ].filter { $0.count > 0 }
    }
}

extension [LinkKey] {
    fileprivate var columns: [ColumnValues] {
        [
            .integers(map(\.left.rawValue)), .integers(map(\.property)),
            .integers(map(\.right.rawValue)),
        ]
    }
}

extension ZoneRows {
    var columns: RowColumns { RowColumns(table: table, values: values) }

    private var table: ZoneTable {
        switch self {
        case .replicas: .replica
        case .entities: .entity
        case .properties: .property
        case .entries: .log
        case .records: .record
        case .links: .link
        case .acknowledgements: .acknowledgement
        case .logParts: .logPart
        case .pieces: .part
        }
    }

    private var values: [ColumnValues] {
        switch self {
        case .replicas(let rows):
            [
                .integers(rows.map(\.ordinal)), .blobs(rows.map(\.id.bytes)),
                .numbers(rows.map { $0.head?.sequence ?? 0 }),
                .blobs(rows.map { $0.head?.origin.bytes }),
            ]
        case .entities(let rows): [.integers(rows.map(\.number)), .names(rows.map(\.name))]
        case .properties(let rows):
            [
                .integers(rows.map(\.number)), .names(rows.map(\.property.name)),
                .integers(rows.map { Int64($0.property.type.rawValue) }),
                .integers(rows.map { Int64($0.property.rule.rawValue) }),
            ]
        case .entries(let rows):
            [
                .numbers(rows.map(\.position)), .integers(rows.map { Int64($0.kind.rawValue) }),
                .integers(rows.map(\.author)), .numbers(rows.map(\.sequence)),
                .numbers(rows.map(\.timestamp)), .blobs(rows.map(\.origin.bytes)),
                .blobs(rows.map(\.digest.bytes)), .blobs(rows.map(\.running.bytes)),
                .blobs(rows.map(\.changeSet)),
            ]
        case .records(let rows):
            [
                .integers(rows.map(\.row.key.rawValue)), .integers(rows.map(\.row.entity)),
                .numbers(rows.map(\.row.timestamp)), .integers(rows.map(\.row.author)),
                .blobs(rows.map(\.row.cells)), .blobs(rows.map(\.row.seen)),
                .numbers(rows.map(\.dead)),
            ]
        case .links(let rows): rows.map(\.link).columns + [.blobs(rows.map(\.tags))]
        case .acknowledgements(let rows):
            [
                .blobs(rows.keys.map(\.bytes)), .numbers(rows.values.map(\.position)),
                .integers(rows.values.map(\.seen)),
            ]
        case .logParts(let rows): rows.map(\.part).columns + [.numbers(rows.map(\.position))]
        case .pieces(let rows):
            rows.map(\.part).columns
                + [.integers(rows.map { Int64($0.start) }), .blobs(rows.map(\.bytes))]
        }
    }
}

extension [SavePart] {
    fileprivate var columns: [ColumnValues] {
        [.blobs(map(\.digest.bytes)), .integers(map { Int64($0.byteCount) })]
    }
}
