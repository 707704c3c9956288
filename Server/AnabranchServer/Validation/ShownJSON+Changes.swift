import AnabranchReplication

/// The kind of one change of one record, or of one link, in the form that the hook receives.
enum ShownOperation: String, Sendable {
    case insert, update, add, delete, link, unlink, move
}

/// A property of a record, or a member of an attribute group, without its value.
///
/// Properties are a list and not a JSON object: two properties of one name and different types are
/// different properties, and neither may hide the other.
private struct ShownProperty {
    /// The JSON up to the value.
    let json: [UInt8]

    init(_ name: WireName, _ type: String) throws(ShownJSON.NoRoom) {
        var json = ShownJSON(reserving: nil)
        try json.append(#"{"name":"#)
        try json.append(quoted: name.string)
        try json.append(#","type":"#)
        try json.append(quoted: type)
        try json.append(#","value":"#)
        self.json = json.bytes
    }

    init(_ property: WireProperty) throws(ShownJSON.NoRoom) {
        try self.init(property.name, property.type.description)
    }
}

extension ShownJSON {
    /// Adds the changes of a block to a list.
    ///
    /// A change has the keys `entity`, `operation` and `record`, which for a link is its left end.
    /// `properties` are the written properties with their values; for `add` the values are
    /// differences. A link has a `relationship` and its right end as `target`. An operation of a
    /// later format has no changes: the zone rejects a save with such an operation.
    mutating func append(_ block: ChangeBlock) throws(NoRoom) {
        switch block {
        case .insert(let rows): try append(rows, .insert)
        case .update(let rows): try append(rows, .update)
        case .add(let rows): try append(rows, .add)
        case .write(let block): try append(block)
        case .delete(let block):
            for record in block.records { try appendDelete(of: record, block.entity) }
        case .yieldingDelete(let block):
            for delete in block.deletes { try appendDelete(of: delete.record, block.entity) }
        case .link(let links): try append(links, .link)
        case .unlink(let links): try append(links, .unlink)
        case .move(let links): try append(links, .move)
        case .unknown: break
        }
    }

    private mutating func append(
        _ rows: RowBlock, _ operation: ShownOperation
    ) throws(NoRoom) {
        var properties: [ShownProperty] = []
        for property in rows.properties { properties.append(try ShownProperty(property)) }
        for (row, record) in rows.records.enumerated() {
            try begin(operation, rows.entity)
            try append(#","properties":["#)
            for (property, column) in zip(properties, rows.columns) {
                try append(property, column[row])
            }
            try append("]")
            try append(record: record)
            try append("}")
        }
    }

    private mutating func append(_ block: SiblingBlock) throws(NoRoom) {
        let property = try ShownProperty(block.property)
        for write in block.writes {
            try begin(.update, block.entity)
            try append(#","properties":["#)
            try append(property, write.value)
            try append("]")
            try append(record: write.record)
            try append("}")
        }
    }

    private mutating func append(
        _ block: LinkBlock, _ operation: ShownOperation
    ) throws(NoRoom) {
        for link in block.links {
            try begin(operation, block.entity)
            try append(record: link.left)
            try append(#","relationship":"#)
            try append(quoted: block.property.name.string)
            try append(#","target":"#)
            try append(quoted: link.right.description)
            try append("}")
        }
    }

    private mutating func appendDelete(
        of record: RecordID, _ entity: WireName
    ) throws(NoRoom) {
        try begin(.delete, entity)
        try append(record: record)
        try append("}")
    }

    private mutating func begin(
        _ operation: ShownOperation, _ entity: WireName
    ) throws(NoRoom) {
        try beginItem()
        try append(#"{"entity":"#)
        try append(quoted: entity.string)
        try append(#","operation":""# + operation.rawValue + "\"")
    }

    private mutating func append(record: RecordID) throws(NoRoom) {
        try append(#","record":"#)
        try append(quoted: record.description)
    }

    private mutating func append(
        _ property: ShownProperty, _ value: PropertyValue
    ) throws(NoRoom) {
        try beginItem()
        try append(property.json)
        try append(value)
        try append("}")
    }

    /// Adds the members of an attribute group.
    mutating func append(_ group: GroupValue) throws(NoRoom) {
        try append("[")
        for member in group.members {
            try append(try ShownProperty(member.name, member.type.description), member.value)
        }
        try append("]")
    }
}
