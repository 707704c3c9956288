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
