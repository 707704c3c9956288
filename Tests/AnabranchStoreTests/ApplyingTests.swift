import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `A page of remote changes` {
    let scenario: StoreScenario
    let a: Store
    let b: Store

    init() throws {
        scenario = try StoreScenario()
        a = try scenario.open("a")
        b = try scenario.open("b")
    }

    /// Checks that a refused page leaves nothing.
    private func expectRefusal(
        _ code: StoreError.Code, _ page: RemotePage,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let hash = try b.canonicalHash()
        let state = try b.syncState()
        let position = try b.read { try $0.logPosition() }
        let error = storeError { _ = try b.apply(page) }
        #expect(
            error?.code == code, "\(error.map { "\($0)" } ?? "applied")",
            sourceLocation: sourceLocation)
        #expect(try b.canonicalHash() == hash, sourceLocation: sourceLocation)
        #expect(try b.syncState().cursor == state.cursor, sourceLocation: sourceLocation)
        #expect(try b.read { try $0.logPosition() } == position, sourceLocation: sourceLocation)
        #expect(try b.conflicts().isEmpty, sourceLocation: sourceLocation)
    }

    private func pushThree() throws {
        for name in ["Anna", "Bob", "Cyd"] { try a.insertPerson(name) }
        try scenario.zone.push(from: a)
    }

    @Test func `a page with a gap is refused whole`() throws {
        try pushThree()
        try expectRefusal(.sequenceGap, scenario.zone.page(for: b) { $0.remove(at: 1) })
        try scenario.zone.pull(into: b)
        #expect(try a.canonicalHash() == b.canonicalHash())
    }

    @Test func `a page with change sets out of order is refused whole`() throws {
        try pushThree()
        try expectRefusal(.sequenceGap, scenario.zone.page(for: b) { $0.swapAt(0, 1) })
    }

    @Test func `a page with another history of a replica is refused whole`() throws {
        try pushThree()
        try scenario.zone.pull(into: b)
        let first = scenario.zone.log[0]
        let other = ChangeSet(
            saving: first.payload, dot: first.dot,
            timestamp: HybridTimestamp(rawValue: first.timestamp.rawValue + 1),
            previousOrigin: .zero, context: first.context)
        try expectRefusal(.forked, scenario.zone.page(for: b) { $0.append(other) })
        let last = scenario.zone.log[2]
        let next = ChangeSet(
            saving: last.payload, dot: Dot(replica: last.dot.replica, sequence: 4),
            timestamp: HybridTimestamp(rawValue: last.timestamp.rawValue + 1),
            previousOrigin: first.origin, context: last.context)
        try expectRefusal(.forked, scenario.zone.page(for: b) { $0.append(next) })
    }

    /// No digest covers the predecessor that a rewritten change set names.
    @Test func `a page with a rewritten set of another predecessor is reported as damage`() throws {
        try pushThree()
        try scenario.zone.pull(into: b)
        let last = scenario.zone.log[2]
        let next = ChangeSet(
            fromLog: .save, dot: Dot(replica: last.dot.replica, sequence: 4),
            timestamp: HybridTimestamp(rawValue: last.timestamp.rawValue + 1), author: "",
            name: "", payload: last.payload,
            rewrittenFrom: Dot(replica: ReplicaID(high: 1, low: 2), sequence: 1),
            previousOrigin: scenario.zone.log[0].origin, origin: last.digest, digest: last.digest,
            context: last.context)
        try expectRefusal(.malformedChangeSet, scenario.zone.page(for: b) { $0.append(next) })
    }

    @Test func `a page without its first set is reported as damage and not as a gap`()
        throws
    {
        try pushThree()
        let whole = try scenario.zone.page(for: b)
        try expectRefusal(
            .digestMismatch,
            RemotePage(
                changeSets: Array(whole.changeSets.dropFirst()), after: whole.after,
                cursor: whole.cursor))
    }

    @Test func `a page with entries that do not give its cursor is refused whole`() throws {
        try pushThree()
        let page = try scenario.zone.page(for: b)
        let wrong = LogCursor(
            epoch: page.cursor.epoch, position: 3, digestHigh: page.cursor.digestHigh,
            digestLow: page.cursor.digestLow ^ 1)
        try expectRefusal(
            .digestMismatch,
            RemotePage(changeSets: page.changeSets, after: page.after, cursor: wrong))
        try expectRefusal(
            .digestMismatch,
            RemotePage(
                changeSets: Array(page.changeSets.dropLast()), after: page.after,
                cursor: page.cursor))
    }

    @Test func `a page that does not begin at the store's cursor is refused`() throws {
        try pushThree()
        let page = try scenario.zone.page(for: b)
        try scenario.zone.pull(into: b)
        try expectRefusal(.cursorMoved, page)
        let c = try scenario.open("c")
        let later = RemotePage(
            changeSets: [], after: page.cursor, cursor: page.cursor)
        #expect(storeError { _ = try c.apply(later) }?.code == .cursorMoved)
    }

    @Test func `is applied again without effect when the reply was lost`() throws {
        try pushThree()
        try scenario.zone.pull(into: b)
        let hash = try b.canonicalHash()
        // The zone's log repeats a held change set. The origin shows that, and the cursor advances.
        let repeated = try scenario.zone.page(for: b) { $0 = [scenario.zone.log[1]] }
        #expect(try b.apply(repeated).isEmpty)
        #expect(try b.canonicalHash() == hash)
        #expect(try b.syncState().cursor == repeated.cursor)
    }

    @Test(
        arguments: [
            [0xFF], [1, 0, 0, 0, 1, 5, 1], [9], [1, 0, 1, 3, 0x41, 0x42], [1, 0, 0, 0, 1, 1, 0],
        ] as [[UInt8]])
    func `a page with a payload that can't be read is refused whole`(payload: [UInt8]) throws {
        try pushThree()
        let replica = ReplicaID(high: 1, low: 1)
        try expectRefusal(
            .malformedChangeSet,
            scenario.zone.page(for: b) { $0.append(set(of: replica, payload: payload)) })
    }

    private func set(
        of replica: ReplicaID, sequence: UInt64 = 1, previous: Digest = .zero, payload: [UInt8]
    ) -> ChangeSet {
        ChangeSet(
            saving: payload, dot: Dot(replica: replica, sequence: sequence),
            timestamp: HybridTimestamp(wallMilliseconds: 1_700_000_100_000),
            previousOrigin: previous, context: CausalContext())
    }

    private func insert(_ entity: WireName, _ replica: ReplicaID, _ numbers: [UInt64])
        -> ChangeBlock
    {
        .insert(
            RowBlock(
                entity: entity, records: numbers.map { RecordID(replica: replica, number: $0) },
                properties: [], columns: []))
    }

    @Test(arguments: [
        ["Person", "Person"], ["Person", "Team"], ["Team", "Person"], ["Person", "Alien"],
        ["Alien", "Person"], ["Alien", "Alien"], ["Alien", "Martian"],
    ])
    func `a page that inserts a record twice is refused whole`(entities: [String]) throws {
        let replica = ReplicaID(high: 1, low: 1)
        let payload = ChangePayload(blocks: [
            insert(WireName(entities[0]), replica, [1, 2, 3]),
            insert(WireName(entities[1]), replica, [4, 2]),
        ])
        try expectRefusal(
            .malformedChangeSet,
            scenario.zone.page(for: b) {
                $0 = [set(of: replica, payload: payload.encoded(author: replica))]
            })
        let first = set(
            of: replica,
            payload: ChangePayload(blocks: [payload.blocks[0]]).encoded(author: replica))
        let second = set(
            of: replica, sequence: 2, previous: first.origin,
            payload: ChangePayload(blocks: [payload.blocks[1]]).encoded(author: replica))
        _ = try b.apply(scenario.zone.page(for: b) { $0 = [first] })
        scenario.zone.append(first)
        try expectRefusal(.malformedChangeSet, scenario.zone.page(for: b) { $0.append(second) })
    }

    /// Another version of a model may have its properties in another order.
    @Test(arguments: [1, 40])
    func `an insert may have its columns in any order`(count: Int) throws {
        let replica = ReplicaID(high: 1, low: 1)
        let numbers = (1...count).map(UInt64.init)
        let properties = [
            WireProperty(name: "name", type: .string), WireProperty(name: "age", type: .integer64),
            WireProperty(name: "boss", type: .reference),
        ]
        let columns = [
            ValueColumn(numbers.map { .string("Person \($0)") }),
            ValueColumn(numbers.map { .integer(Int64($0) + 20) }),
            ValueColumn(repeatElement(.null, count: count)),
        ]
        let orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2]]
        for (index, order) in orders.enumerated() {
            let store = try scenario.open("c \(index)")
            let payload = ChangePayload(blocks: [
                .insert(
                    RowBlock(
                        entity: "Person",
                        records: numbers.map { RecordID(replica: replica, number: $0) },
                        properties: order.map { properties[$0] }, columns: order.map { columns[$0] }
                    ))
            ])
            let set = set(of: replica, payload: payload.encoded(author: replica))
            _ = try store.apply(scenario.zone.page(for: store) { $0 = [set] })
            for number in numbers {
                let record = RecordID(replica: replica, number: number)
                let id = try #require(try store.localID(of: record))
                let row = try #require(try store.row("Person", id))
                let entity = scenario.person
                #expect(
                    row.slots[try #require(entity.slotIndex(named: "name"))]
                        == .string("Person \(number)"))
                #expect(
                    row.slots[try #require(entity.slotIndex(named: "age"))]
                        == .integer(Int64(number) + 20))
            }
        }
    }

    /// The rows of a large insert are written several with one statement.
    @Test(arguments: [0, 1, 15, 16, 17, 38])
    func `the error names the record that a page inserts twice among many`(row: Int) throws {
        let replica = ReplicaID(high: 1, low: 1)
        func repeatedRecord(among numbers: [UInt64]) throws -> UInt64? {
            let payload = ChangePayload(blocks: [insert("Person", replica, numbers)])
            let set = set(of: replica, payload: payload.encoded(author: replica))
            let page = try scenario.zone.page(for: b) { $0.append(set) }
            let error = try #require(storeError { _ = try b.apply(page) })
            #expect(error.code == .malformedChangeSet)
            #expect(try b.read { try $0.identifiers(FetchQuery(entity: scenario.person)) } == [])
            return error.records.first?.number
        }
        let numbers = (1...40).map(UInt64.init)
        var repeated = numbers
        repeated.insert(numbers[row], at: row + 1)
        #expect(try repeatedRecord(among: repeated) == numbers[row])
        #expect(try repeatedRecord(among: numbers + [numbers[row]]) == numbers[row])
    }

    @Test func `a change set that names a record under another entity changes nothing`() throws {
        let anna = try a.insertPerson("Anna", age: 3)
        for store in [a, b] { try scenario.zone.sync(store) }
        let record = try #require(try a.recordID(of: anna))
        let hash = try b.canonicalHash()
        let replica = ReplicaID(high: 1, low: 1)
        let age = WireProperty(name: "age", type: .integer64)
        for entity in ["Team", "Alien"] as [WireName] {
            let payload = ChangePayload(blocks: [
                .update(
                    RowBlock(
                        entity: entity, records: [record], properties: [age],
                        columns: [[.integer(99)]])),
                .delete(RecordBlock(entity: entity, records: [record])),
            ])
            let c = try scenario.open("c \(entity.string)")
            try scenario.zone.pull(into: c)
            let page = try scenario.zone.page(for: c) {
                $0.append(set(of: replica, payload: payload.encoded(author: replica)))
            }
            #expect(try c.apply(page).isEmpty)
            #expect(try c.canonicalHash() == hash)
            #expect(try c.conflicts().map(\.kind) == [.writeToDeleted])
        }
    }

    @Test func `holds the clock behind all that it brought`() throws {
        scenario.clock.milliseconds += 3_600_000
        try pushThree()
        scenario.clock.milliseconds -= 7_200_000
        try scenario.zone.pull(into: b)
        try b.insertPerson("Dan")
        let entries = try b.read { try $0.changeSets(after: 0, limit: 10) }
        #expect(entries.map(\.changeSet.timestamp) == entries.map(\.changeSet.timestamp).sorted())
    }
}
