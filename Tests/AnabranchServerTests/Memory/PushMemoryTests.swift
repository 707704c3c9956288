import AnabranchProtocol
import AnabranchReplication
import Testing

@testable import AnabranchServer

/// Tests of the memory that the change sets of a push need beside their values.
@Suite struct PushMemoryTests {
    /// Entries that take as few bytes as any.
    private func small(_ count: UInt64) -> [ChangeSet] {
        let replica = ReplicaID(high: 1, low: 1)
        return (1...count).map { ChangeSet(lost: Dot(replica: replica, sequence: $0)) }
    }

    private func request(_ sets: [ChangeSet], to zone: TestZone) throws -> PushRequest {
        PushRequest(
            epoch: try zone.service.head().epoch, changeSets: sets.map { $0.encoded() })
    }

    private func push(
        _ sets: [ChangeSet], to zone: TestZone, _ memory: RequestMemory
    ) throws -> PushAnswer {
        try zone.service.push(try request(sets, to: zone), from: nil, memory)
    }

    /// What grows in a push. The number is the least size.
    enum Growing: Int, CaseIterable, Sendable {
        case changeSets = 1000
        case causes = 16_000
        case records = 4000
        case links = 4001

        fileprivate func sets(_ size: Int) -> [ChangeSet] {
            var author = TestAuthor(1)
            switch self {
            case .changeSets: return (0..<size).map { _ in author.insertPerson().0 }
            case .causes:
                author.context = CausalContext(
                    beyond: (0..<UInt64(size)).map {
                        let dot = Dot(replica: ReplicaID(high: 2, low: $0), sequence: 1)
                        return .init(dot: dot, originPrefix: $0)
                    })
                return [author.insertPerson().0]
            case .records: return [author.insertPeople(size).0]
            case .links:
                let (insert, records) = author.insertPeople(2)
                let links = LinkBlock(
                    entity: "Person", property: ChangeBlock.friends,
                    links: (0..<size).map { _ in .init(left: records[0], right: records[1]) })
                return [insert, author.save([.link(links)])]
            }
        }
    }

    @Test(arguments: Growing.allCases)
    func `twice as much in a push takes at most twice as much, and never more than its share`(
        growing: Growing
    ) throws {
        var byteCounts: [Int] = []
        for doubling in 0...3 {
            let zone = try TestZone(.sqlite)
            let budget = MemoryBudget(byteCount: 64 << 20)
            let memory = RequestMemory(budget)
            let answer = try push(growing.sets(growing.rawValue << doubling), to: zone, memory)
            #expect(answer.refusal?.code == (growing == .causes ? .missingCauses : nil))
            #expect(memory.byteCount <= memory.limit)
            byteCounts.append(memory.byteCount)
        }
        for (less, more) in zip(byteCounts, byteCounts.dropFirst()) {
            #expect((1.5...2.2).contains(Double(more) / Double(less)), "\(byteCounts)")
        }
    }

    @Test func `small change sets are counted before they are decoded`() throws {
        let zone = try TestZone(.sqlite)
        let budget = MemoryBudget(byteCount: 16 << 20)
        let sets = small(1000)
        let other = RequestMemory(budget)
        #expect(other.take(15 << 20))
        let first = try push(sets, to: zone, RequestMemory(budget))
        #expect((300..<400).contains(first.acknowledgements.count))
        #expect(first.refusal?.code == .overloaded)
        other.release()
        let memory = RequestMemory(budget)
        let rest = Array(sets.dropFirst(first.acknowledgements.count))
        #expect(try push(rest, to: zone, memory).refusal == nil)
        #expect((2000 * rest.count...4000 * rest.count).contains(memory.byteCount))
        #expect(try zone.service.head().position == 1000)
    }

    @Test func `a request has a greatest number of change sets`() throws {
        let zone = try TestZone(.sqlite)
        let memory = RequestMemory(MemoryBudget(byteCount: 512 << 20))
        let job = PushJob(
            try request(small(12_000), to: zone), from: nil, memory, limits: zone.limits)
        #expect((10_000..<11_000).contains(job.changeSets.count))
        #expect(job.refusal?.code == .overloaded && memory.byteCount <= 33 << 20)
    }

    @Test func `the causes of a change set are counted before they are decoded`() throws {
        let zone = try TestZone(.sqlite)
        let budget = MemoryBudget(byteCount: 16 << 20)
        var author = TestAuthor(1)
        author.context = CausalContext(
            beyond: (0..<20_000).map {
                .init(
                    dot: Dot(replica: ReplicaID(high: 2, low: $0), sequence: 1),
                    originPrefix: $0)
            })
        let sets = [author.insertPerson().0]
        let other = RequestMemory(budget)
        #expect(other.take(15 << 20))
        let refused = try push(sets, to: zone, RequestMemory(budget))
        #expect(refused.refusal?.code == .overloaded)
        other.release()
        let memory = RequestMemory(budget)
        #expect(try push(sets, to: zone, memory).refusal?.code == .missingCauses)
        #expect(memory.byteCount >= 20_000 * 64)
    }

    @Test func `a part is counted only if the zone holds it`() throws {
        let zone = try TestZone(.sqlite)
        let budget = MemoryBudget(byteCount: 512 << 20)
        var author = TestAuthor(1)
        let list = PartList([SavePart(digest: Digest(of: [1]), byteCount: Limits.largestPart)])
        var other = author
        let lacking = other.save(payload: list.encoded(), as: .saveInParts)
        let memory = RequestMemory(budget)
        #expect(try push([lacking], to: zone, memory).refusal?.code == .missingParts)
        #expect(memory.byteCount < 1 << 20)

        let (save, parts) = author.insertInParts(
            2, name: String(repeating: "x", count: 1 << 20))
        for part in parts {
            _ = try zone.service.stage(
                StageRequest(part: SavePart(of: part), start: 0, bytes: part))
        }
        memory.release()
        #expect(try push([save], to: zone, memory).acknowledgements.map(\.rejection) == [nil])
        #expect((1 << 20..<2 << 20).contains(memory.byteCount), "one part is in memory at a time")
    }
}
