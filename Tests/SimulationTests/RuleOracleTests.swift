import AnabranchModel
import AnabranchReplication
import Simulator
import Testing

/// Tests that the oracles of merge rules, keys and lists fail for a wrong state.
struct RuleOracleTests {
    private let author = ReplicaID(high: 1, low: 1)
    private let other = ReplicaID(high: 2, low: 2)

    private func record(_ number: UInt64) -> RecordID {
        RecordID(replica: author, number: number)
    }

    private func set(
        _ replica: ReplicaID, _ sequence: UInt64, at milliseconds: Int64, _ blocks: [ChangeBlock]
    ) -> ChangeSet {
        ChangeSet(
            saving: ChangePayload(blocks: blocks).encoded(author: replica),
            dot: Dot(replica: replica, sequence: sequence), timestamp: time(milliseconds),
            author: "app", name: "", previousOrigin: .zero, context: CausalContext())
    }

    private func time(_ milliseconds: Int64) -> HybridTimestamp {
        HybridTimestamp(wallMilliseconds: milliseconds, counter: 0)
    }

    private func stamp(_ milliseconds: Int64, _ replica: ReplicaID? = nil) -> Stamp {
        Stamp(timestamp: time(milliseconds), replica: replica ?? author)
    }

    private func rows(_ property: WireProperty, _ value: PropertyValue) -> RowBlock {
        RowBlock(
            entity: "Item", records: [record(1)], properties: [property], columns: [[value]])
    }

    private func values(_ property: WireProperty, _ sets: [ChangeSet]) throws -> [PropertyValue] {
        let intended = try IntendedState(of: sets)
        return intended.records[record(1)]?.cells.filter { $0.property == property }
            .sorted { $0.stamp < $1.stamp }.map(\.value) ?? []
    }

    @Test func `each rule has the value that it asks for`() throws {
        func property(_ rule: MergeRule) -> WireProperty {
            WireProperty(name: "value", type: .integer64, rule: rule)
        }
        let wanted: [(MergeRule, Int64)] = [
            (.lastWriter, 4), (.firstWriter, 5), (.max, 9), (.min, 4),
        ]
        for (rule, value) in wanted {
            let sets = [
                set(author, 1, at: 1, [.insert(rows(property(rule), .integer(5)))]),
                set(author, 2, at: 2, [.update(rows(property(rule), .integer(9)))]),
                set(other, 1, at: 3, [.update(rows(property(rule), .integer(4)))]),
            ]
            #expect(try values(property(rule), sets) == [.integer(value)], "\(rule)")
        }
        let counter = property(.counter)
        let sets = [
            set(author, 1, at: 1, [.insert(rows(counter, .integer(5)))]),
            set(author, 2, at: 2, [.add(rows(counter, .integer(9)))]),
            set(other, 1, at: 3, [.add(rows(counter, .integer(-4)))]),
        ]
        #expect(try values(counter, sets) == [.integer(10)])
    }

    @Test func `values that no later write has replaced stay side by side`() throws {
        let memo = WireProperty(name: "memo", type: .string, rule: .keepBoth)
        func write(_ text: String, seeing tags: [Stamp]) -> ChangeBlock {
            .write(
                SiblingBlock(
                    entity: "Item", property: memo,
                    writes: [.init(record: record(1), value: .string(text), observedTags: tags)]))
        }
        let sets = [
            set(author, 1, at: 1, [.insert(rows(memo, "old"))]),
            set(author, 2, at: 2, [write("mine", seeing: [stamp(1)])]),
            set(other, 1, at: 3, [write("theirs", seeing: [stamp(1)])]),
        ]
        #expect(try values(memo, sets) == ["mine", "theirs"])
        let both = set(other, 2, at: 4, [write("both", seeing: [stamp(2), stamp(3, other)])])
        #expect(try values(memo, sets + [both]) == ["both"])
    }

    @Test func `a record is dead while its deletes have seen all that it holds`() throws {
        let text = WireProperty(name: "text", type: .string)
        let delete = YieldingDeleteBlock(
            entity: "Item", deletes: [.init(record: record(1), stampsSeen: [stamp(1)])])
        let sets = [
            set(author, 1, at: 1, [.insert(rows(text, "old"))]),
            set(author, 2, at: 2, [.yieldingDelete(delete)]),
        ]
        #expect(try IntendedState(of: sets).records[record(1)]?.isDead == true)
        let update = set(other, 1, at: 3, [.update(rows(text, "new"))])
        #expect(try IntendedState(of: sets + [update]).records[record(1)]?.isDead == false)
    }

    // MARK: - Views

    private func item(_ number: UInt64, _ cells: [(String, WireType, PropertyValue)])
        -> CanonicalRecord
    {
        CanonicalRecord(
            id: record(number), entity: "Item",
            cells: cells.map { name, type, value in
                let property = WireProperty(name: WireName(name), type: type)
                return .init(property: property, value: value, stamp: stamp(Int64(number)))
            })
    }

    @Test func `two that hold one key and show apart are found`() throws {
        let model = try SimulationModel.shared(.keys).model
        let records = [
            item(1, [("code", .integer64, .integer(7)), ("name", .string, "first")]),
            item(2, [("code", .integer64, .integer(7)), ("name", .string, "second")]),
        ]
        let view = ExpectedView(of: records, model: model)
        #expect(view.attributes == [record(1): ["code": .integer(7), "name": "second"]])
        let apart = ExpectedView(of: records, model: try SimulationModel.shared(.plain).model)
        #expect(throws: SimulationFailure.self) { try view.check(apart, in: "a") }
    }

    @Test func `a circle that is not cut is found`() throws {
        let model = try SimulationModel.shared(.keys).model
        let records = [(1, 2), (2, 1)].map { number, parent in
            var box = item(
                UInt64(number), [("parent", .reference, .reference(record(UInt64(parent))))])
            box.entity = "Box"
            return box
        }
        let view = ExpectedView(of: records, model: model)
        #expect(view.references["Box.parent"] == [record(1): record(2)])
    }

    @Test func `a list out of order is found`() throws {
        let model = try SimulationModel.shared(.rules).model
        let queue = try #require(try SimulationModel.shared(.rules).mergeRules).queue
        var maker = ListPositionGenerator(Dot(replica: author, sequence: 1))
        let front = maker.position(between: nil, and: nil)
        let back = maker.position(between: front, and: nil)
        func view(_ places: [ListPosition]) -> ExpectedView {
            var box = CanonicalRecord(id: record(1), entity: "Box")
            box.links = places.enumerated().map { index, position in
                .init(
                    property: queue.wireProperty, right: record(UInt64(index) + 2),
                    tags: LinkTags(placed: [.init(stamp(1), at: .init(inLeft: position))]))
            }
            return ExpectedView(of: [box, item(2, []), item(3, [])], model: model)
        }
        #expect(view([front, back]).related["Box.queue"] == [record(1): [record(2), record(3)]])
        #expect(view([back, front]).related["Box.queue"] == [record(1): [record(3), record(2)]])
        #expect(throws: SimulationFailure.self) {
            try view([front, back]).check(view([back, front]), in: "a")
        }
    }

    // MARK: - Journals on top of snapshots

    @Test func `a loss on top of a snapshot must be in the journal`() throws {
        let text = WireProperty(name: "text", type: .string)
        let sets = [
            set(author, 1, at: 1, [.insert(rows(text, "old"))]),
            set(author, 2, at: 2, [.update(rows(text, "mine"))]),
            set(other, 1, at: 3, [.update(rows(text, "theirs"))]),
        ]
        let history = SaveHistory()
        for (index, set) in sets.enumerated() {
            var seen = SaveNumbers()
            if index > 0 { seen.insert(0) }
            history.add(set.origin, seeing: seen)
        }
        let expected = try ExpectedConflicts(of: IntendedState(of: sets), history)
        #expect(throws: SimulationFailure.self) {
            try expected.check([], loaded: [sets[0].origin], in: "a")
        }
        // The snapshot has merged the loss already.
        try expected.check([], loaded: [sets[0].origin, sets[1].origin], in: "a")
        try expected.check([], loaded: [sets[0].origin, sets[2].origin], in: "a")
    }
}
