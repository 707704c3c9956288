import AnabranchReplication
import TestSupport
import Testing

@Suite struct `A rewriting` {
    private static let old = ReplicaID(high: 1, low: 1)
    private static let new = ReplicaID(high: 9, low: 9)
    private static let other = ReplicaID(high: 5, low: 5)

    private static func set(
        _ sequence: UInt64, by replica: ReplicaID = old, _ blocks: [ChangeBlock],
        previous: Digest = .zero, beyond: [CausalContext.Entry] = []
    ) -> ChangeSet {
        ChangeSet(
            saving: ChangePayload(blocks: blocks).encoded(author: replica),
            dot: Dot(replica: replica, sequence: sequence),
            timestamp: HybridTimestamp(rawValue: 100 + sequence), previousOrigin: previous,
            context: CausalContext(beyond: beyond))
    }

    private static func record(_ number: UInt64, of replica: ReplicaID = old) -> RecordID {
        RecordID(replica: replica, number: number)
    }

    private static let friends = WireProperty(name: "friends", type: .mutualLinks, rule: .set)
    private static let teams = WireProperty(name: "teams", type: .links, rule: .set)

    /// A save that inserts record 4, which refers to record 3 of an earlier change set.
    private static let insert = set(
        2,
        [
            .insert(
                RowBlock(
                    entity: "Person", records: [record(4)],
                    properties: [WireProperty(name: "boss", type: .reference)],
                    columns: [[.reference(record(3))]]))
        ], previous: Digest(of: [1]))

    /// The entry of a context that names the save.
    private static let seen = CausalContext.Entry(
        dot: insert.dot, originPrefix: insert.origin.prefix)

    private static func renaming() throws -> Rewriting {
        var rewriting = Rewriting()
        try rewriting.rename(
            insert,
            to: .init(
                dot: Dot(replica: new, sequence: 1), timestamp: insert.timestamp))
        return rewriting
    }

    @Test func `renames a set with the records born in it, and keeps its origin`() throws {
        let renamed = try Self.renaming().rewritten(Self.insert)
        #expect(renamed.dot == Dot(replica: Self.new, sequence: 1))
        #expect(renamed.rewrittenFrom == Self.insert.dot)
        #expect(renamed.origin == Self.insert.origin)
        #expect(renamed.previousOrigin == Self.insert.previousOrigin)
        #expect(renamed.digest == renamed.computedDigest())
        #expect(try ChangeSet(decoding: renamed.encoded()) == renamed)
        guard case .insert(let rows)? = try renamed.decodedPayload().blocks.first else {
            Issue.record("it inserts nothing")
            return
        }
        #expect(rows.records == [Self.record(4, of: Self.new)])
        #expect(rows.columns == [[.reference(Self.record(3))]], "born before: it keeps its name")
    }

    @Test func `gives a set back as it was first saved`() throws {
        let renamed = try Self.renaming().rewritten(Self.insert)
        var back = Rewriting()
        try back.rename(renamed, to: .init(dot: Self.insert.dot, timestamp: Self.insert.timestamp))
        #expect(try back.rewritten(renamed) == Self.insert)
        // Another time is not that of the save.
        var other = Rewriting()
        try other.rename(
            renamed, to: .init(dot: Self.insert.dot, timestamp: HybridTimestamp(rawValue: 7)))
        #expect(try other.rewritten(renamed).rewrittenFrom == Self.insert.dot)
    }

    @Test func `follows into every mention of another set`() throws {
        let stamp = Self.insert.stamp
        let mention = Self.set(
            1, by: Self.other,
            [
                .update(
                    RowBlock(
                        entity: "Person", records: [Self.record(4)],
                        properties: [WireProperty(name: "boss", type: .reference)],
                        columns: [[.reference(Self.record(4))]])),
                .unlink(
                    LinkBlock(
                        entity: "Person", property: Self.teams,
                        links: [
                            .init(
                                left: Self.record(4), right: Self.record(3), observedTags: [stamp])
                        ])),
                .add(
                    RowBlock(
                        entity: "Person", records: [Self.record(4)],
                        properties: [
                            WireProperty(name: "visits", type: .integer64, rule: .counter)
                        ], columns: [[.integer(1)]])),
                .write(
                    SiblingBlock(
                        entity: "Person",
                        property: WireProperty(name: "seat", type: .reference, rule: .keepBoth),
                        writes: [
                            .init(
                                record: Self.record(4), value: .reference(Self.record(4)),
                                observedTags: [stamp])
                        ])),
                .update(
                    RowBlock(
                        entity: "Person", records: [Self.record(4)],
                        properties: [WireProperty(name: "home", type: .group, rule: .group)],
                        columns: [[.group(try Self.group())]])),
                .yieldingDelete(
                    YieldingDeleteBlock(
                        entity: "Person",
                        deletes: [.init(record: Self.record(4), stampsSeen: [stamp])])),
                .delete(RecordBlock(entity: "Person", records: [Self.record(4)])),
            ],
            beyond: [Self.seen])
        let rewritten = try Self.renaming().rewritten(mention)
        #expect(rewritten.dot == mention.dot && rewritten.timestamp == mention.timestamp)
        #expect(rewritten.digest != mention.digest)
        let text = "\(try rewritten.decodedPayload())"
        #expect(!text.contains("\(Self.record(4))"))
        #expect(!text.contains("\(stamp)"))
        #expect(text.contains("\(Stamp(timestamp: stamp.timestamp, replica: Self.new))"))
        #expect(
            rewritten.context.beyond == [
                .init(
                    dot: Dot(replica: Self.old, sequence: 1), originPrefix: Digest(of: [1]).prefix),
                .init(
                    dot: Dot(replica: Self.new, sequence: 1),
                    originPrefix: Self.insert.origin.prefix),
            ])
    }

    private static func group() throws -> GroupValue {
        try #require(
            GroupValue([
                .init(name: "owner", type: .reference, value: .reference(record(4))),
                .init(name: "zip", type: .string, value: .string("8000")),
            ]))
    }

    @Test func `turns a mutual link if the order of its ends has changed`() throws {
        let link = Self.set(
            1, by: Self.other,
            [
                .link(
                    LinkBlock(
                        entity: "Person", property: Self.friends,
                        links: [
                            .init(left: Self.record(4), right: Self.record(8, of: Self.other))
                        ]))
            ], beyond: [Self.seen])
        guard
            case .link(let links)? = try Self.renaming().rewritten(link).decodedPayload().blocks
                .first
        else {
            Issue.record("it links nothing")
            return
        }
        #expect(links.links.map(\.left) == [Self.record(8, of: Self.other)])
        #expect(links.links.map(\.right) == [Self.record(4, of: Self.new)])
    }

    @Test func `leaves what mentions nothing of it as it is`() throws {
        let set = Self.set(
            1, by: Self.other,
            [.delete(RecordBlock(entity: "Person", records: [Self.record(3)]))])
        #expect(try Self.renaming().rewritten(set) == set)
        #expect(Rewriting().isEmpty)
    }

    @Test func `leaves what mentions another branch under the same names`() throws {
        let blocks: [ChangeBlock] = [
            .delete(RecordBlock(entity: "Person", records: [Self.record(4)])),
            .unlink(
                LinkBlock(
                    entity: "Person", property: Self.teams,
                    links: [
                        .init(
                            left: Self.record(4), right: Self.record(3),
                            observedTags: [Self.insert.stamp])
                    ])),
        ]
        let others: [CausalContext.Entry] = [
            .init(dot: Self.insert.dot, originPrefix: Digest(of: [2]).prefix),
            .init(dot: Dot(replica: Self.old, sequence: 3), originPrefix: Digest(of: [3]).prefix),
        ]
        for other in others {
            let set = Self.set(1, by: Self.other, blocks, beyond: [other])
            #expect(try Self.renaming().rewritten(set) == set)
        }
        // Without an origin of its own, a lost change set is the same on every branch.
        let loss = CausalContext.Entry(
            dot: Self.insert.dot, originPrefix: ChangeSet(lost: Self.insert.dot).origin.prefix)
        #expect(loss.namesLoss)
        let set = Self.set(1, by: Self.other, blocks, beyond: [loss])
        #expect(try Self.renaming().rewritten(set) != set)
    }

    @Test func `restamps a save that another branch mentions, too`() throws {
        var rewriting = try Self.renaming()
        let first = Self.set(1, by: Self.other, [])
        let time = HybridTimestamp(rawValue: 7)
        try rewriting.rename(first, to: .init(dot: first.dot, timestamp: time))
        let mention = Self.set(
            1, by: ReplicaID(high: 6, low: 6),
            [
                .yieldingDelete(
                    YieldingDeleteBlock(
                        entity: "Person",
                        deletes: [
                            .init(
                                record: Self.record(4),
                                stampsSeen: [first.stamp, Self.insert.stamp])
                        ]))
            ], beyond: [.init(dot: first.dot, originPrefix: first.origin.prefix)])
        let rewritten = try rewriting.rewritten(mention).decodedPayload()
        guard case .yieldingDelete(let block)? = rewritten.blocks.first else {
            Issue.record("it deletes nothing")
            return
        }
        #expect(block.deletes.map(\.record) == [Self.record(4)])
        let restamped = Stamp(timestamp: time, replica: Self.other)
        #expect(Set(block.deletes[0].stampsSeen) == [restamped, Self.insert.stamp])
    }

    @Test func `a change set that is rewritten twice keeps its first name`() throws {
        let once = try Self.renaming().rewritten(Self.insert)
        var again = Rewriting()
        let timestamp = HybridTimestamp(rawValue: 7)
        try again.rename(once, to: .init(dot: once.dot, timestamp: timestamp))
        let twice = try again.rewritten(once)
        #expect(twice.rewrittenFrom == Self.insert.dot)
        #expect(twice.timestamp == timestamp && twice.origin == Self.insert.origin)
    }

    @Test func `refuses operations of a later format, which it can't follow`() throws {
        let set = Self.set(1, by: Self.other, [.unknown(operation: 77, bytes: [1, 2, 3])])
        let rewriting = try Self.renaming()
        let error = #expect(throws: ChangeSetDecodingError.self) { try rewriting.rewritten(set) }
        #expect(error?.code == .unsupportedVersion)
    }

    @Test(arguments: UInt64(0)..<100)
    func `a rewriting without renames leaves every change set as it is`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let payload = generator.payload(author: Self.other)
        let known = payload.blocks.filter { if case .unknown = $0 { false } else { true } }
        let set = Self.set(1, by: Self.other, known)
        #expect(try Rewriting().rewritten(set) == set)
    }

    @Test func `names a branch by its position and its first change set`() {
        let dot = Dot(replica: Self.old, sequence: 7)
        let name = ReplicaID(ofForkAt: dot, origin: Digest(of: [1]))
        #expect(name == ReplicaID(ofForkAt: dot, origin: Digest(of: [1])))
        #expect(name != ReplicaID(ofForkAt: dot, origin: Digest(of: [2])))
        #expect(
            name
                != ReplicaID(
                    ofForkAt: Dot(replica: Self.old, sequence: 8), origin: Digest(of: [1])))
    }
}
