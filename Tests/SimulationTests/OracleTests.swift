import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Simulator
import Testing

/// Tests that each oracle fails for a wrong log or state.
struct OracleTests {
    private let author = ReplicaID(high: 1, low: 1)
    private let other = ReplicaID(high: 2, low: 2)
    private let title = WireProperty(name: "title", type: .string, rule: .lastWriter)
    private let links = WireProperty(name: "items", type: .links, rule: .set)

    private func set(
        _ replica: ReplicaID, _ sequence: UInt64, at milliseconds: Int64, _ blocks: [ChangeBlock]
    ) -> ChangeSet {
        ChangeSet(
            saving: ChangePayload(blocks: blocks).encoded(author: replica),
            dot: Dot(replica: replica, sequence: sequence),
            timestamp: HybridTimestamp(wallMilliseconds: milliseconds, counter: 0), author: "app",
            name: "", previousOrigin: .zero, context: CausalContext())
    }

    private func insert(_ number: UInt64, _ value: PropertyValue) -> ChangeBlock {
        .insert(rows(number, value))
    }

    private func rows(_ number: UInt64, _ value: PropertyValue) -> RowBlock {
        RowBlock(
            entity: "Box", records: [record(number)], properties: [title], columns: [[value]])
    }

    private func record(_ number: UInt64) -> RecordID {
        RecordID(replica: author, number: number)
    }

    /// Returns change sets in which two replicas change one box concurrently and a box is deleted.
    private func sample() -> [ChangeSet] {
        [
            set(author, 1, at: 1, [insert(1, "first"), insert(2, "gone")]),
            set(author, 2, at: 2, [.update(rows(1, "mine"))]),
            set(other, 1, at: 3, [.update(rows(1, "theirs"))]),
            set(
                author, 3, at: 4,
                [.delete(RecordBlock(entity: "Box", records: [record(2)]))]),
        ]
    }

    private func history(of sets: [ChangeSet], seen: [[Int]]) -> SaveHistory {
        let history = SaveHistory()
        for (set, numbers) in zip(sets, seen) {
            var held = SaveNumbers()
            for number in numbers { held.insert(number) }
            history.add(set.origin, seeing: held)
        }
        return history
    }

    @Test func `a save before its causes, one without an author and one twice are found`() throws {
        let sets = sample()
        let history = history(of: sets, seen: [[], [0], [0], [0, 1]])
        var held = HeldSaves()
        try held.append(sets[0].origin, history, in: "a")
        #expect(throws: SimulationFailure.self) {
            try held.append(sets[3].origin, history, in: "a")
        }
        try held.append(sets[1].origin, history, in: "a")
        try held.append(sets[3].origin, history, in: "a")
        #expect(throws: SimulationFailure.self) {
            try held.append(sets[1].origin, history, in: "a")
        }
        #expect(throws: SimulationFailure.self) {
            try held.append(Digest(of: [1]), history, in: "a")
        }
    }

    @Test func `two that hold the same and differ are found`() throws {
        let knowledge = EqualKnowledge()
        let (one, two) = (Digest(of: [1]), Digest(of: [2]))
        try knowledge.check([one.bytes, two.bytes], hash: one, in: "a")
        try knowledge.check([two.bytes, one.bytes], hash: one, in: "b")
        try knowledge.check([one.bytes], hash: two, in: "b")
        #expect(throws: SimulationFailure.self) {
            try knowledge.check([one.bytes, two.bytes], hash: two, in: "c")
        }
    }

    @Test func `a register, a record too many and one too few are found`() throws {
        let intended = try IntendedState(of: sample())
        let right = Array(intended.records.values)
        #expect(right.map(\.id) == [record(1)])
        #expect(right.first?.cells.first?.value == "theirs")
        try intended.check(right, in: "a")

        var wrong = right
        wrong[0].cells[0].value = "mine"
        #expect(throws: SimulationFailure.self) { try intended.check(wrong, in: "a") }
        #expect(throws: SimulationFailure.self) { try intended.check([], in: "a") }
        let resurrected = right + [CanonicalRecord(id: record(2), entity: "Box")]
        #expect(throws: SimulationFailure.self) { try intended.check(resurrected, in: "a") }
    }

    @Test func `a value that no journal has is found`() throws {
        let sets = sample()
        let unaware = history(of: sets, seen: [[], [0], [0], [0, 1, 2]])
        let intended = try IntendedState(of: sets)
        let expected = try ExpectedConflicts(of: intended, unaware)
        #expect(
            expected.losses == [
                .init(record: record(1), property: title, value: "mine", stamp: sets[1].stamp)
            ])
        #expect(throws: SimulationFailure.self) { try expected.check([], in: "a") }

        let aware = history(of: sets, seen: [[], [0], [0, 1], [0, 1, 2]])
        #expect(try ExpectedConflicts(of: intended, aware).losses.isEmpty)
    }

    @Test func `a value in a journal is found if its winner had seen it`() throws {
        let sets = sample()
        let intended = try IntendedState(of: sets)
        let entry = ConflictEntry(
            id: 1, kind: .concurrentWrite, record: record(1), entity: "Box", property: title,
            value: "mine", lost: .init(stamp: sets[1].stamp, author: ""),
            winner: .init(stamp: sets[2].stamp, author: ""), winningValue: "theirs",
            noticedMilliseconds: 0)
        let unaware = history(of: sets, seen: [[], [0], [0], [0, 1, 2]])
        try ExpectedConflicts(of: intended, unaware).check([entry], in: "a")
        let aware = history(of: sets, seen: [[], [0], [0, 1], [0, 1, 2]])
        #expect(throws: SimulationFailure.self) {
            try ExpectedConflicts(of: intended, aware).check([entry], in: "a")
        }
    }

    @Test func `a write and a link that a delete took away are looked for`() throws {
        let link = LinkBlock(
            entity: "Box", property: links, links: [.init(left: record(1), right: record(2))])
        let sets = [
            set(author, 1, at: 1, [insert(1, "first"), insert(2, "second")]),
            set(other, 1, at: 2, [.update(rows(2, "late")), .link(link)]),
            set(
                author, 2, at: 3,
                [.delete(RecordBlock(entity: "Box", records: [record(2)]))]),
        ]
        let expected = try ExpectedConflicts(
            of: IntendedState(of: sets), history(of: sets, seen: [[], [0], [0]]))
        #expect(
            expected.losses == [
                .init(record: record(2), property: title, value: "late", stamp: sets[1].stamp),
                .init(
                    record: record(1), property: links, value: .reference(record(2)),
                    stamp: sets[1].stamp),
            ])
    }

    @Test func `a view that shows a deleted record is found`() throws {
        let box = WireProperty(name: "box", type: .reference, rule: .lastWriter)
        let stamp = Stamp(
            timestamp: HybridTimestamp(wallMilliseconds: 1, counter: 0), replica: author)
        let item = CanonicalRecord(
            id: record(1), entity: "Item",
            cells: [.init(property: box, value: .reference(record(2)), stamp: stamp)])
        let expected = ExpectedView(of: [item], model: try SimulationModel.shared(.plain).model)
        #expect(expected.references["Item.box"]?.isEmpty == true)
        let target = CanonicalRecord(id: record(2), entity: "Box")
        let other = ExpectedView(
            of: [item, target], model: try SimulationModel.shared(.plain).model)
        #expect(other.related["Box.items"] == [record(2): [record(1)]])
        try expected.check(expected, in: "a")
        #expect(throws: SimulationFailure.self) { try expected.check(other, in: "a") }
    }
}
