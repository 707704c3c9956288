import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// The work of a store with what another replica sends grows with it, and not faster.
struct StoreGrowthTests {
    /// What grows. The number is the least size that is measured.
    enum Direction: Int, CaseIterable, Sendable, CustomTestStringConvertible {
        case changeSets = 100
        case records = 1000
        case links = 400
        case deletes = 300
        case causes = 101
        // Blocks of one save.
        case updates = 301
        case unknownProperties = 302
        case unknownGroups = 303
        case propertiesOfUnknownEntity = 304
        case formerProperty = 305
        case linkChanges = 60
        case unknownLinkChanges = 61
        case siblingWrites = 62
        case unknownSiblingWrites = 63
        case yieldingDeletes = 500
        case revivals = 306
        case sparseInserts = 307
        case formerLinks = 308
        case duplicates = 64
        case losses = 104
        // Saves of one page.
        case propertySaves = 105
        case siblingSaves = 106
        case tagSaves = 107
        case deleteSaves = 108
        case conflictSaves = 109

        var testDescription: String {
            switch self {
            case .changeSets: "change sets"
            case .records: "records of a block"
            case .links: "links of a record"
            case .deletes: "deleted records, each in a block of its own"
            case .causes: "replicas in the causal context"
            case .updates: "updates of a record that has as many unknown properties"
            case .unknownProperties: "unknown properties of a record"
            case .unknownGroups: "unknown attribute groups of a record"
            case .propertiesOfUnknownEntity: "properties of a record of an unknown entity"
            case .formerProperty: "writes of a former property, and as many unknown ones"
            case .linkChanges: "changes of a link that has as many tags"
            case .unknownLinkChanges: "changes of an unknown link that has as many tags"
            case .siblingWrites: "writes of a value that has as many concurrent ones"
            case .unknownSiblingWrites: "writes of an unknown value with as many concurrent ones"
            case .yieldingDeletes: "yielding deletes of a record"
            case .revivals: "properties of a dead record, each deleted again"
            case .formerLinks: "links of a former relationship"
            case .duplicates: "records with one unique key"
            case .sparseInserts: "inserts around records of another entity"
            case .losses: "lost values of many replicas, and as many causes"
            case .propertySaves: "saves of an unknown property each"
            case .siblingSaves: "saves of a concurrent value each"
            case .tagSaves: "saves that add one link"
            case .deleteSaves: "saves with a yielding delete of one record"
            case .conflictSaves: "saves of one property by two replicas"
            }
        }
    }

    @Test(arguments: Direction.allCases)
    func `the work of applying is at most proportional`(direction: Direction) throws {
        let factor = try Growth.factor(from: direction.rawValue) { size in
            let setup = try Self.setUp(direction, size)
            return {
                _ = try setup.store.apply(setup.page)
                setup.store.close()
            }
        }
        #expect(factor < Growth.limit)
    }

    /// Something that reads the state or replaces it.
    enum Job: CaseIterable, Sendable { case hash, check, repair, explainedRepair, load }

    /// The shapes of a state that only one record has.
    private static let shapes: [Direction] = [
        .links, .unknownProperties, .unknownGroups, .linkChanges, .siblingWrites, .yieldingDeletes,
    ]

    @Test(arguments: shapes, Job.allCases)
    func `the work of a hash, a check, a repair and a load is at most proportional`(
        direction: Direction, job: Job
    ) throws {
        let factor = try Growth.factor(from: direction.rawValue) { size in
            let setup = try Self.setUp(direction, size)
            let (store, page) = (setup.store, setup.page)
            _ = try store.apply(page)
            let images = try Self.images(of: store, size, setup.record, job)
            let chunks = job == .load ? try Self.chunks(of: store, page) : []
            let new = try setup.scenario.open("new")
            return {
                // The files stay until the work is done.
                defer { withExtendedLifetime(setup) {} }
                switch job {
                case .hash: _ = try store.canonicalHash()
                case .check: #expect(try store.check().isValid)
                case .repair, .explainedRepair:
                    let prefix = CausalContext.Prefix(
                        epoch: page.cursor.epoch, position: page.cursor.position)
                    _ = try store.repair(images, at: prefix)
                case .load: try new.load(chunks, at: page.cursor)
                }
                store.close()
                new.close()
            }
        }
        #expect(factor < Growth.limit)
    }

    /// A snapshot of a store's state, which one replica has made.
    private static func chunks(of store: Store, _ page: RemotePage) throws -> [[UInt8]] {
        var chunk = SnapshotChunkEncoder()
        let last = try #require(page.changeSets.last)
        chunk.append(SnapshotChunk.Head(dot: last.dot, origin: last.origin))
        var records: [CanonicalRecord] = []
        try store.read { try $0.canonicalRecords { records.append($0) } }
        for record in records {
            var alone = record
            alone.links = []
            chunk.append(alone)
        }
        for record in records {
            for link in record.links {
                chunk.append(
                    SnapshotChunk.Link(left: record.id, right: link.right, tags: link.tags),
                    of: link.property)
            }
        }
        return [chunk.finish()]
    }

    /// What a zone answers: it lacks all records, or it has one with other values and no links.
    private static func images(
        of store: Store, _ size: Int, _ record: RecordID, _ job: Job
    ) throws -> [RecordImage] {
        guard job == .explainedRepair else {
            return (1...size).map {
                RecordImage(id: RecordID(replica: record.replica, number: UInt64($0)))
            }
        }
        try store.queueForRepair([record])
        var held = try #require(try store.canonicalRecord(record))
        held.links = []
        for index in held.cells.indices where held.cells[index].property.type == .string {
            held.cells[index].value = .string("other")
        }
        return [RecordImage(id: record, record: held)]
    }

    private static func model(of direction: Direction) throws -> ManagedObjectModel {
        guard direction != .duplicates else {
            return try ManagedObjectModel {
                EntityDeclaration("Person") {
                    AttributeDeclaration("name", .string)
                    UniquenessConstraint("name")
                }
            }
        }
        return try ManagedObjectModel {
            EntityDeclaration("Person", deletePolicy: .updateWins) {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                AttributeDeclaration("note", .string, mergeRule: .keepBoth)
                RelationshipDeclaration("teams", toMany: "Team", inverse: "members")
            }
            EntityDeclaration("Team") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("members", toMany: "Person", inverse: "teams")
            }
        }
    }

    /// A store that holds the beginning of a log, the page that follows, and a record that changes.
    private struct Setup {
        let scenario: StoreScenario
        let store: Store
        let page: RemotePage
        let record: RecordID
    }

    private static func setUp(_ direction: Direction, _ size: Int) throws -> Setup {
        let scenario = try StoreScenario(model: try model(of: direction))
        let store = try scenario.open("store")
        var author = RemoteAuthor(1)
        let (insert, records) = author.insertPeople(
            [.records, .links, .deletes, .formerLinks].contains(direction) ? size + 1 : 2)
        let sets: (before: [ChangeSet], after: [ChangeSet]) =
            switch direction {
            case .records: (before: [], after: [insert])
            case .changeSets, .propertySaves, .siblingSaves, .tagSaves, .deleteSaves,
                .conflictSaves:
                saves(direction, size, insert, records, &author)
            case .causes, .losses: replicas(direction, size, insert, records, &author)
            case .sparseInserts: sparseInserts(size, insert, &author)
            case .linkChanges, .unknownLinkChanges, .siblingWrites, .unknownSiblingWrites:
                manyVersions(direction, size, insert, records, &author)
            default:
                (before: [insert], after: [author.save(blocks(direction, size, insert, records))])
            }
        for set in sets.before { scenario.zone.append(set) }
        if !sets.before.isEmpty { try scenario.zone.pull(into: store) }
        for set in sets.after { scenario.zone.append(set) }
        return Setup(
            scenario: scenario, store: store, page: try scenario.zone.page(for: store),
            record: records[0])
    }

    /// The blocks of one save.
    private static func blocks(
        _ direction: Direction, _ size: Int, _ insert: ChangeSet, _ records: [RecordID]
    ) -> [ChangeBlock] {
        let record = records[0]
        switch direction {
        case .links: return records.dropFirst().map { .friend(record, $0) }
        case .deletes:
            return records.map { .delete(RecordBlock(entity: "Person", records: [$0])) }
        case .unknownProperties: return (0..<size).map { .unknown($0, of: record) }
        case .unknownGroups: return (0..<size).map { .unknownGroup($0, of: record) }
        case .updates:
            return (0..<size).flatMap { [.unknown($0, of: record), .name(record, "\($0)")] }
        case .formerProperty:
            let former = WireProperty(name: "age", type: .integer32)
            return (0..<size).flatMap {
                [.unknown($0, of: record), .write(.integer(Int64($0)), to: former, of: record)]
            }
        case .propertiesOfUnknownEntity:
            let stranger = RecordID(replica: record.replica, number: 1 << 30)
            let row = RowBlock(
                entity: "Stranger", records: [stranger], properties: [], columns: [])
            return [.insert(row)] + (0..<size).map { .unknown($0, of: stranger, "Stranger") }
        case .formerLinks:
            let team = RecordID(replica: record.replica, number: 1 << 30)
            let row = RowBlock(entity: "Team", records: [team], properties: [], columns: [])
            return [.insert(row)] + records.map { .member(team, $0, under: .list) }
        case .duplicates:
            let people = (0..<UInt64(size)).map {
                RecordID(replica: record.replica, number: 10 + $0)
            }
            return [
                .insert(
                    RowBlock(
                        entity: "Person", records: people,
                        properties: [WireProperty(name: "name", type: .string)],
                        columns: [ValueColumn(people.map { _ in .string("one") })]))
            ]
        case .yieldingDeletes: return (0..<size).map { .yieldingDelete(record, seeing: [seen($0)]) }
        case .revivals:
            return (0..<size).flatMap {
                [.yieldingDelete(record, seeing: [insert.stamp]), .unknown($0, of: record)]
            }
        default: return []
        }
    }

    /// A stamp that no held value has.
    private static func seen(_ number: Int) -> Stamp {
        Stamp(
            timestamp: HybridTimestamp(rawValue: UInt64(number + 1)),
            replica: ReplicaID(high: 1, low: 0xB0B0))
    }

    /// Saves that one record, value or link gets one after the other.
    private static func saves(
        _ direction: Direction, _ size: Int, _ insert: ChangeSet, _ records: [RecordID],
        _ author: inout RemoteAuthor
    ) -> (before: [ChangeSet], after: [ChangeSet]) {
        let record = records[0]
        if direction == .conflictSaves {
            var other = RemoteAuthor(2)
            let saves = (0..<size).map { number in
                number % 2 == 0
                    ? author.save([.name(record, "\(number)")])
                    : other.save([.name(record, "\(number)")])
            }
            return ([insert], saves)
        }
        let (team, teams) = author.insert("Team", numbers: 3...3)
        let saves = author.saves(size) { number in
            switch direction {
            case .propertySaves: .unknown(number, of: record)
            case .siblingSaves: .sibling("\(number)", of: record)
            case .tagSaves: .member(teams[0], record)
            case .deleteSaves: .yieldingDelete(record, seeing: [seen(number)])
            default: .name(record, "\(number)")
            }
        }
        return ([insert, team], saves)
    }

    /// As many versions of a link or value, and a save that changes it again and again.
    private static func manyVersions(
        _ direction: Direction, _ size: Int, _ insert: ChangeSet, _ records: [RecordID],
        _ author: inout RemoteAuthor
    ) -> (before: [ChangeSet], after: [ChangeSet]) {
        let (team, teams) = author.insert("Team", numbers: 3...3)
        let ends = (teams[0], records[0])
        let versions = author.saves(size) { number in
            switch direction {
            case .linkChanges: .member(ends.0, ends.1)
            case .unknownLinkChanges: .friend(records[0], records[1])
            case .siblingWrites: .sibling("\(number)", of: records[0])
            default: .sibling("\(number)", of: records[0], "remark")
            }
        }
        let changes = (0..<4 * size).map { number -> ChangeBlock in
            // A third of the changes removes a tag that is there.
            let seen = number % 3 == 0 ? versions[number / 12].stamp : seen(number)
            let isAdded = number % 2 == 0
            return switch direction {
            case .linkChanges:
                .member(ends.0, ends.1, removing: isAdded ? nil : [seen])
            case .unknownLinkChanges:
                isAdded
                    ? .friend(records[0], records[1])
                    : .unfriend(records[0], records[1], seeing: [seen])
            case .siblingWrites: .sibling("\(number)", of: records[0])
            default: .sibling("\(number)", of: records[0], "remark")
            }
        }
        return ([insert, team] + versions, [author.save(changes)])
    }

    /// Teams, and blocks of two people each with numbers before and after those of the teams.
    private static func sparseInserts(
        _ size: Int, _ insert: ChangeSet, _ author: inout RemoteAuthor
    ) -> (before: [ChangeSet], after: [ChangeSet]) {
        let between = UInt64(1 << 20)
        let (teams, _) = author.insert("Team", numbers: between...between + UInt64(size))
        let name = WireProperty(name: "name", type: .string)
        let inserts = (0..<UInt64(size)).map { number -> ChangeBlock in
            let records = [10 + number, 2 * between + number].map {
                RecordID(replica: author.replica, number: $0)
            }
            return .insert(
                RowBlock(
                    entity: "Person", records: records, properties: [name],
                    columns: [[.string("a"), .string("b")]]))
        }
        return ([insert, teams], [author.save(inserts)])
    }

    /// Saves of many replicas, and one that names them as its causes or does not know them.
    private static func replicas(
        _ direction: Direction, _ size: Int, _ insert: ChangeSet, _ records: [RecordID],
        _ author: inout RemoteAuthor
    ) -> (before: [ChangeSet], after: [ChangeSet]) {
        func save(by number: Int) -> ChangeSet {
            var other = RemoteAuthor(UInt64(number + 2))
            return direction == .causes
                ? other.insertPeople(1).0
                : other.save([.unknown(number, of: records[0], "Person", "lost")])
        }
        let others = (0..<size).map(save)
        let known = direction == .causes ? others : (size..<2 * size).map(save)
        author.context = CausalContext(
            beyond: known.map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) })
        let blocks =
            direction == .causes
            ? [ChangeBlock.name(records[0], "Bob")]
            : (0..<size).map { .unknown($0, of: records[0], "Person", "won") }
        return ([insert] + others + (direction == .causes ? [] : known), [author.save(blocks)])
    }
}
