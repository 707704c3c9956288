import AnabranchReplication

/// One change of one record, or of one link, in the form that the hook receives.
struct ShownChange: Encodable, Sendable {
    enum Operation: String, Encodable, Sendable {
        case insert, update, add, delete, link, unlink, move
    }

    let operation: Operation
    let entity: String
    /// The record; the left end of a link.
    let record: String
    /// The written properties with their values; for `add` the values are differences.
    var properties: [ShownProperty]?
    /// The relationship of a link.
    var relationship: String?
    /// The right end of a link.
    var target: String?

    private init(_ operation: Operation, _ entity: WireName, _ record: RecordID) {
        self.operation = operation
        self.entity = entity.string
        self.record = record.description
    }

    /// The changes of a block.
    ///
    /// An operation of a later format has none: the zone rejects a save with such an operation.
    static func all(of block: ChangeBlock) -> [ShownChange] {
        switch block {
        case .insert(let rows): all(of: rows, .insert)
        case .update(let rows): all(of: rows, .update)
        case .add(let rows): all(of: rows, .add)
        case .write(let block):
            block.writes.map { write in
                var change = ShownChange(.update, block.entity, write.record)
                change.properties = [ShownProperty(block.property, write.value)]
                return change
            }
        case .delete(let block): block.records.map { ShownChange(.delete, block.entity, $0) }
        case .yieldingDelete(let block):
            block.deletes.map { ShownChange(.delete, block.entity, $0.record) }
        case .link(let links): all(of: links, .link)
        case .unlink(let links): all(of: links, .unlink)
        case .move(let links): all(of: links, .move)
        case .unknown: []
        }
    }

    private static func all(of rows: RowBlock, _ operation: Operation) -> [ShownChange] {
        rows.records.indices.map { row in
            var change = ShownChange(operation, rows.entity, rows.records[row])
            change.properties = zip(rows.properties, rows.columns).map {
                ShownProperty($0, $1[row])
            }
            return change
        }
    }

    private static func all(of block: LinkBlock, _ operation: Operation) -> [ShownChange] {
        block.links.map { link in
            var change = ShownChange(operation, block.entity, link.left)
            change.relationship = block.property.name.string
            change.target = link.right.description
            return change
        }
    }
}

/// A property of a record, or a member of an attribute group, with its value.
///
/// Properties are a list and not a JSON object: two properties of one name and different types are
/// different properties, and no one may hide the other.
struct ShownProperty: Encodable, Sendable {
    let name: String
    let type: String
    let value: ShownValue

    init(_ property: WireProperty, _ value: Value) {
        name = property.name.string
        type = property.type.description
        self.value = ShownValue(value)
    }

    init(_ member: GroupValue.Member) {
        name = member.name.string
        type = member.type.description
        value = ShownValue(member.value)
    }
}
