package import AnabranchReplication

/// Random saves of several replicas that sometimes exchange what they hold.
///
/// A save's author has seen only what it holds at that moment. Its stamps, dots, chain of origins,
/// causal context and seen tags are those that a store would write. Wall clocks differ and are
/// coarse, so that stamps of different replicas often have equal times.
package struct RandomHistory: Sendable {
    /// The change sets in the order of saving, which is a causal order.
    package private(set) var changeSets: [ChangeSet] = []
    private var authors: [RandomAuthor] = []

    /// The operations of a history's saves.
    package enum Rules: Sendable {
        /// Last-writer registers, sets and final deletes.
        case lastWriterAndSets
        /// Every merge rule, and deletes under `updateWins`.
        case all
    }

    /// Creates the history of a seed.
    package init(
        seed: UInt64, replicas: ClosedRange<Int> = 3...5, steps: Int = 24,
        rules: Rules = .lastWriterAndSets
    ) throws {
        var generator = SeededGenerator(seed: seed)
        authors = (0..<Int.random(in: replicas, using: &generator)).map { _ in
            RandomAuthor(replica: generator.replica(), rules: rules)
        }
        for step in 0..<steps {
            let place = Int.random(in: 0..<authors.count, using: &generator)
            if generator.oneIn(3) {
                let other = Int.random(in: 0..<authors.count, using: &generator)
                for changeSet in authors[other].log { try authors[place].take(changeSet) }
            } else {
                // Wall clocks tick once in eight steps, and the clock of one replica stands still.
                let wall = place == 0 ? 1 : Int64(step / 8 + place)
                let saved = try authors[place].save(wallMilliseconds: wall, &generator)
                if let saved { changeSets.append(saved) }
            }
        }
    }

    /// Returns an order in which every change set follows its predecessor and everything that its
    /// author held.
    package func causalOrder(seed: UInt64) -> [ChangeSet] {
        var generator = SeededGenerator(seed: seed)
        var waiting = changeSets
        var held = VersionVector()
        var order: [ChangeSet] = []
        while !waiting.isEmpty {
            let ready = waiting.indices.filter { Self.isReady(waiting[$0], held) }
            // The order of saving is causal, so the first change set that waits is always ready.
            let next = waiting.remove(at: generator.element(of: ready))
            held.insert(next.dot)
            order.append(next)
            if generator.oneIn(6) { order.append(generator.element(of: order)) }
        }
        return order
    }

    private static func isReady(_ changeSet: ChangeSet, _ held: VersionVector) -> Bool {
        held[changeSet.dot.replica] == changeSet.dot.sequence - 1
            && changeSet.context.beyond.allSatisfy { held.contains($0.dot) }
    }
}

/// A replica of a random history: its state by the reference merge, its log and its clock.
struct RandomAuthor: Sendable {
    let replica: ReplicaID
    let rules: RandomHistory.Rules
    private(set) var log: [ChangeSet] = []
    private(set) var state = ReferenceMerge()
    private var heads: [ReplicaID: ChangeSet] = [:]
    private var clock = HybridClock()
    private var lastNumber: UInt64 = 0

    init(replica: ReplicaID, rules: RandomHistory.Rules) {
        self.replica = replica
        self.rules = rules
    }

    mutating func newRecord() -> RecordID {
        lastNumber += 1
        return RecordID(replica: replica, number: lastNumber)
    }

    mutating func take(_ changeSet: ChangeSet) throws {
        let last = heads[changeSet.dot.replica]?.dot.sequence ?? 0
        guard changeSet.dot.sequence > last else { return }
        heads[changeSet.dot.replica] = changeSet
        log.append(changeSet)
        clock.observe(changeSet.timestamp)
        try state.apply(changeSet)
    }

    mutating func save(
        wallMilliseconds: Int64, _ generator: inout SeededGenerator
    ) throws -> ChangeSet? {
        guard let timestamp = clock.tick(wallMilliseconds: wallMilliseconds) else { return nil }
        let previous = heads[replica]
        let blocks = rules == .all ? editsOfAllRules(&generator) : edits(&generator)
        let payload = ChangePayload(blocks: blocks)
        let others = heads.values.filter { $0.dot.replica != replica }
        let changeSet = ChangeSet(
            saving: payload.encoded(author: replica),
            dot: nextDot,
            timestamp: timestamp, previousOrigin: previous?.origin ?? .zero,
            context: CausalContext(
                beyond: others.map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) }))
        try take(changeSet)
        return changeSet
    }

    /// Returns random edits in the order of a store: inserts, updates, links, unlinks, deletes.
    private mutating func edits(_ generator: inout SeededGenerator) -> [ChangeBlock] {
        var blocks: [ChangeBlock] = []
        let held = state.records.keys.sorted()
        var inserted: [RecordID] = []
        if held.count < 3 || generator.oneIn(3) {
            inserted = (0..<Int.random(in: 1...2, using: &generator)).map { _ in newRecord() }
            blocks.append(.insert(rows(inserted, Self.properties, &generator)))
        }
        for id in held where generator.oneIn(4) {
            let written = Self.properties.filter { _ in generator.oneIn(2) }
            blocks.append(.update(rows([id], written, &generator)))
        }
        blocks += linksAndUnlinks(among: held + inserted, &generator)
        let deleted = held.filter { _ in generator.oneIn(12) }
        if !deleted.isEmpty {
            blocks.append(.delete(RecordBlock(entity: Self.entity, records: deleted)))
        }
        return blocks
    }

    func linksAndUnlinks(
        among ends: [RecordID], _ generator: inout SeededGenerator
    ) -> [ChangeBlock] {
        var blocks: [ChangeBlock] = []
        if generator.oneIn(2), !ends.isEmpty {
            let pairs = (0..<2).map { _ in
                (generator.element(of: ends), generator.element(of: ends))
            }
            blocks.append(.link(linkBlock(pairs.map { .init(left: $0, right: $1) })))
        }
        let unlinked = state.links.keys.sorted().filter {
            $0.property == Self.friends && generator.oneIn(3)
        }
        if !unlinked.isEmpty {
            let links = unlinked.map {
                LinkBlock.Link(left: $0.left, right: $0.right, observedTags: tags(of: $0))
            }
            blocks.append(.unlink(linkBlock(links)))
        }
        return blocks
    }

    func tags(of key: ReferenceMerge.LinkKey) -> [Stamp] {
        (state.links[key] ?? [:]).keys.sorted()
    }

    /// The dot of the next save.
    var nextDot: Dot {
        Dot(replica: replica, sequence: (heads[replica]?.dot.sequence ?? 0) + 1)
    }

    private func rows(
        _ records: [RecordID], _ properties: [WireProperty], _ generator: inout SeededGenerator
    ) -> RowBlock {
        let columns = properties.map { property in
            ValueColumn(
                records.map { id in
                    property.type == .reference
                        ? .reference(id) : generator.value(of: property.type, replicas: [replica])
                })
        }
        return RowBlock(
            entity: Self.entity, records: records, properties: properties, columns: columns)
    }

    private func linkBlock(_ links: [LinkBlock.Link]) -> LinkBlock {
        LinkBlock(entity: Self.entity, property: Self.friends, links: links)
    }

    private static let friends = WireProperty(name: "friends", type: .links, rule: .set)
    private static let entity: WireName = "Person"
    private static let properties = [
        WireProperty(name: "age", type: .integer64), WireProperty(name: "boss", type: .reference),
        WireProperty(name: "name", type: .string),
    ]
}
