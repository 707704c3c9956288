import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of change sets that name the same few records, values and links again and again, in many
/// blocks. Stores keep what such blocks change in memory for a while.
@Suite struct `Change sets that change the same again and again` {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person", deletePolicy: .updateWins) {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                AttributeDeclaration("note", .string, mergeRule: .keepBoth)
                RelationshipDeclaration("teams", toMany: "Team", inverse: "members")
            }
            EntityDeclaration("Team", deletePolicy: .updateWins) {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("members", toMany: "Person", inverse: "teams")
            }
        }
    }

    @Test(arguments: TestLength.seeds(200))
    func `merge as one after the other would`(seed: UInt64) throws {
        let scenario = try StoreScenario(model: try Self.model())
        var history = RepeatedChanges(seed: seed)
        for set in history.sets(count: 12) { scenario.zone.append(set) }
        let reference = try scenario.zone.reference()
        // One store gets one page, and the other one a page for each change set.
        let (one, many) = (try scenario.open("one"), try scenario.open("many"))
        try scenario.zone.pull(into: one)
        for _ in scenario.zone.log {
            _ = try many.apply(scenario.zone.page(for: many) { $0 = Array($0.prefix(1)) })
        }
        for store in [one, many] {
            var records: [CanonicalRecord] = []
            try store.read { try $0.canonicalRecords { records.append($0) } }
            #expect(records.count == reference.state.count)
            for record in records {
                let expected = try #require(reference.state[record.id])
                #expect(Set(record.cells).symmetricDifference(expected.cells) == [])
                #expect(Set(record.links).symmetricDifference(expected.links) == [])
                #expect(record.deleteMark == expected.deleteMark)
            }
            #expect(try store.canonicalHash() == reference.canonicalHash)
        }
        let losses = try [one, many].map { store in
            Set(try store.conflicts().map { "\($0.record) \($0.property) \($0.lost.stamp)" })
        }
        #expect(losses[0] == losses[1])
    }
}

/// Random change sets of two authors, of which neither has seen the other one's.
private struct RepeatedChanges {
    private var generator: SeededGenerator
    private var authors = [RemoteAuthor(1), RemoteAuthor(2)]
    private var people: [RecordID] = []
    private var teams: [RecordID] = []
    private var stamps: [Stamp] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func sets(count: Int) -> [ChangeSet] {
        let (first, people) = authors[0].insertPeople(3)
        let (second, teams) = authors[0].insert("Team", numbers: 10...11)
        (self.people, self.teams) = (people, teams)
        stamps = [first.stamp, second.stamp]
        return [first, second]
            + (0..<count).map { _ in
                let blocks = (0..<Int.random(in: 1...25, using: &generator)).map { _ in block() }
                let author = Int.random(in: 0...1, using: &generator)
                let set = authors[author].save(blocks)
                stamps.append(set.stamp)
                return set
            }
    }

    private mutating func block() -> ChangeBlock {
        let person = people[Int.random(in: 0..<people.count, using: &generator)]
        let team = teams[Int.random(in: 0..<teams.count, using: &generator)]
        let number = Int.random(in: 0..<4, using: &generator)
        let seen = stamps.filter { _ in Bool.random(using: &generator) }
        switch Int.random(in: 0..<40, using: &generator) {
        case 0..<4: return .name(person, "\(number)")
        case 4..<8: return .unknown(number, of: person)
        case 8..<10: return .unknownGroup(number, of: person)
        case 10..<12:
            return .write(
                .integer(Int64(number)), to: WireProperty(name: "age", type: .integer32),
                of: person)
        case 12..<16: return .sibling("\(number)", of: person, seeing: seen)
        case 16..<18: return .sibling("\(number)", of: person, "remark", seeing: seen)
        case 18..<22: return .member(team, person)
        case 22..<26: return .member(team, person, removing: seen)
        case 26..<28: return .friend(person, people[number % people.count])
        case 28..<30: return .unfriend(person, people[number % people.count], seeing: seen)
        case 30..<35: return .yieldingDelete(person, seeing: seen)
        case 35..<37: return .yieldingDelete(person, seeing: stamps)
        case 37: return .yieldingDelete(person, seeing: [])
        default:
            guard number == 0 else { return .name(person, "more") }
            return .delete(RecordBlock(entity: "Person", records: [person]))
        }
    }
}
