import AnabranchReplication

/// A replica that creates change sets as a store does: numbered, chained and stamped.
struct RemoteAuthor {
    let replica: ReplicaID
    var context = CausalContext.empty
    private var sequence: UInt64 = 0
    private var origin = Digest.zero
    private var clock = HybridClock()

    init(_ number: UInt64) { replica = ReplicaID(high: number, low: 0xB0B0) }

    mutating func save(_ blocks: [ChangeBlock]) -> ChangeSet {
        sequence += 1
        let set = ChangeSet(
            saving: ChangePayload(blocks: blocks).encoded(author: replica), as: .save,
            dot: Dot(replica: replica, sequence: sequence),
            timestamp: clock.tick(wallMilliseconds: 1_600_000_000_000) ?? .zero, author: "test",
            previousOrigin: origin, context: context)
        origin = set.origin
        return set
    }

    /// Returns one save for each number.
    mutating func saves(_ count: Int, _ block: (Int) -> ChangeBlock) -> [ChangeSet] {
        (0..<count).map { save([block($0)]) }
    }

    mutating func insert(
        _ entity: WireName, numbers: ClosedRange<UInt64>
    ) -> (ChangeSet, [RecordID]) {
        let records = numbers.map { RecordID(replica: replica, number: $0) }
        let save = save([
            .insert(
                RowBlock(
                    entity: entity, records: records,
                    properties: [WireProperty(name: "name", type: .string)],
                    columns: [ValueColumn(records.map { .string("Person \($0.number)") })]))
        ])
        return (save, records)
    }

    mutating func insertPeople(_ count: Int) -> (ChangeSet, [RecordID]) {
        insert("Person", numbers: 1...UInt64(count))
    }
}

extension ChangeBlock {
    /// A write of one property of one record.
    static func write(
        _ value: PropertyValue, to property: WireProperty, of record: RecordID,
        _ entity: WireName = "Person"
    ) -> ChangeBlock {
        .update(
            RowBlock(
                entity: entity, records: [record], properties: [property], columns: [[value]]))
    }

    static func name(_ record: RecordID, _ name: String) -> ChangeBlock {
        write(.string(name), to: WireProperty(name: "name", type: .string), of: record)
    }

    /// A write of a property that no model has.
    static func unknown(
        _ number: Int, of record: RecordID, _ entity: WireName = "Person", _ text: String = "x"
    ) -> ChangeBlock {
        let property = WireProperty(name: WireName("p\(number)"), type: .string)
        return write(.string(text), to: property, of: record, entity)
    }

    /// A write of an attribute group that no model has.
    static func unknownGroup(_ number: Int, of record: RecordID) -> ChangeBlock {
        let member = GroupValue.Member(name: "a", type: .integer64, value: .integer(1))
        let property = WireProperty(name: WireName("g\(number)"), type: .group, rule: .group)
        return write(
            GroupValue([member]).map(PropertyValue.group) ?? .null, to: property, of: record)
    }

    /// A write under `keepBoth`.
    static func sibling(
        _ text: String, of record: RecordID, _ name: WireName = "note", seeing seen: [Stamp] = []
    ) -> ChangeBlock {
        .write(
            SiblingBlock(
                entity: "Person",
                property: WireProperty(name: name, type: .string, rule: .keepBoth),
                writes: [.init(record: record, value: .string(text), observedTags: seen)]))
    }

    static func yieldingDelete(_ record: RecordID, seeing stamps: [Stamp]) -> ChangeBlock {
        .yieldingDelete(
            YieldingDeleteBlock(
                entity: "Person", deletes: [.init(record: record, stampsSeen: stamps)]))
    }

    /// Adds a link of a relationship that no model has.
    static func friend(_ left: RecordID, _ right: RecordID) -> ChangeBlock {
        .link(links(left, right, "friends", of: "Person"))
    }

    /// Adds a link of the model's relationship, or removes tags of it. Under another rule it is a
    /// former relationship.
    static func member(
        _ team: RecordID, _ person: RecordID, removing seen: [Stamp]? = nil,
        under rule: MergeRule = .set
    ) -> ChangeBlock {
        let links = links(team, person, "members", of: "Team", seeing: seen ?? [], under: rule)
        return seen == nil ? .link(links) : .unlink(links)
    }

    static func unfriend(
        _ left: RecordID, _ right: RecordID, seeing seen: [Stamp]
    ) -> ChangeBlock {
        .unlink(links(left, right, "friends", of: "Person", seeing: seen))
    }

    private static func links(
        _ left: RecordID, _ right: RecordID, _ name: WireName, of entity: WireName,
        seeing seen: [Stamp] = [], under rule: MergeRule = .set
    ) -> LinkBlock {
        LinkBlock(
            entity: entity, property: WireProperty(name: name, type: .links, rule: rule),
            links: [.init(left: left, right: right, observedTags: seen)])
    }
}
