import AnabranchStore

/// Rows that one save writes again, in groups of the same entity and slots.
struct RepeatedRows {
    /// A row, with the slots that are written again.
    struct Row {
        /// The position of the entity in the layout.
        let entity: Int
        let key: Int64
        let slots: [Int]
    }

    private struct Group: Hashable {
        let entity: Int
        let slots: [Int]
    }

    private var keys: [Group: ArraySlice<Int64>] = [:]
    /// The groups, in the order of their first rows.
    private var groups: ArraySlice<Group> = []

    init(_ rows: [Row]) {
        for row in rows {
            let group = Group(entity: row.entity, slots: row.slots)
            if keys[group] == nil { groups.append(group) }
            keys[group, default: []].append(row.key)
        }
    }

    /// Reads the next rows; `nil` after the last.
    ///
    /// - Parameter rows: The reader of each entity.
    mutating func next(_ rows: [NamedRows?]) throws -> SaveRequest.Update? {
        while let group = groups.first {
            guard let rows = rows[group.entity], var left = keys[group], !left.isEmpty else {
                groups.removeFirst()
                continue
            }
            let reader = rows.reader
            var update = SaveRequest.Update(entity: reader.source.entity, slots: group.slots)
            let limit = reader.byteCount + PieceLimits.byteCount
            while update.rows.count < PieceLimits.rowCount, reader.byteCount < limit,
                let key = left.popFirst()
            {
                if try rows.readAgain(key) { reader.append(key, to: &update) }
            }
            keys[group] = left
            return update
        }
        return nil
    }
}
