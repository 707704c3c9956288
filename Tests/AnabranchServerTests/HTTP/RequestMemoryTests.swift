import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// The memory that requests share.
struct RequestMemoryTests {
    private let budget = MemoryBudget(byteCount: 1000)

    @Test func `goes back when it is released, replaced or forgotten`() {
        do {
            let memory = RequestMemory(budget)
            #expect(memory.take(600) && memory.take(400) && !memory.take(1))
            #expect(budget.available == 0 && memory.byteCount == 1000)
            #expect(memory.replace(by: 300) && budget.available == 700)
            memory.release()
            #expect(budget.available == 1000)
            #expect(memory.take(10))
        }
        #expect(budget.available == 1000)
    }

    @Test func `is waited for`() {
        let other = RequestMemory(budget)
        #expect(other.take(1000))
        let done = startThreads(1) { _ in
            usleep(50_000)
            other.release()
        }
        #expect(RequestMemory(budget).take(700, waiting: 60))
        done.wait()
        #expect(!RequestMemory(budget).take(1001, waiting: 60), "no request can have that much")
    }

    @Test func `is half of all for a request that needs more`() throws {
        let (memory, other) = (RequestMemory(budget), RequestMemory(budget))
        #expect(memory.take(300))
        try memory.need(5000)
        try memory.need(5000)
        #expect(memory.byteCount == 500 && other.take(400))
        let error = #expect(throws: ProtocolError.self) { try RequestMemory(budget).need(101) }
        #expect(error?.code == .overloaded)
    }

    // MARK: - Decoded values

    /// A save of records with columns of one value, which takes few bytes.
    private func save(
        _ value: PropertyValue, columns: Int, by author: inout TestAuthor
    ) -> ChangeSet {
        let records = (1...100_000).map { RecordID(replica: author.replica, number: $0) }
        let properties = (0..<columns).map {
            WireProperty(name: WireName("p\($0)"), type: .bool)
        }
        let column = ValueColumn(repeatElement(value, count: records.count))
        return author.save([
            .insert(
                RowBlock(
                    entity: "Person", records: records, properties: properties,
                    columns: properties.map { _ in column }))
        ])
    }

    private func push(
        _ set: ChangeSet, to zone: TestZone, _ memory: RequestMemory
    ) throws -> PushAnswer {
        try zone.service.push(
            PushRequest(epoch: try zone.service.head().epoch, changeSets: [set.encoded()]),
            from: nil, memory)
    }

    @Test func `is reserved for values before they are decoded`() throws {
        let zone = try TestZone(.sqlite)
        let budget = MemoryBudget(byteCount: 16 << 20)
        var author = TestAuthor(1)
        let set = save(.bool(true), columns: 1, by: &author)
        let other = RequestMemory(budget)
        #expect(other.take(12 << 20))
        // 100,000 identities and as many values, of 24 bytes each, take more than 4 MiB.
        let refused = try push(set, to: zone, RequestMemory(budget))
        #expect(refused.acknowledgements.isEmpty && refused.refusal?.code == .overloaded)
        #expect(try zone.service.head().position == 0)
        other.release()
        let memory = RequestMemory(budget)
        #expect(try push(set, to: zone, memory).acknowledgements.count == 1)
        #expect((4_800_000...5_000_000).contains(memory.byteCount))
        #expect(try zone.records().count == 100_000)
    }

    @Test func `is not reserved for columns of nulls, which are not expanded`() throws {
        let zone = try TestZone(.sqlite)
        let memory = RequestMemory(MemoryBudget(byteCount: 16 << 20))
        var author = TestAuthor(1)
        let set = save(.null, columns: 20, by: &author)
        let answer = try push(set, to: zone, memory)
        #expect(answer.acknowledgements.map(\.rejection) == [nil])
        #expect((2_400_000...2_500_000).contains(memory.byteCount))
        let records = try zone.records()
        #expect(records.count == 100_000)
        #expect(records.first?.cells.map(\.value) == [PropertyValue](repeating: .null, count: 20))
    }

    @Test func `decides which saves are too large for good`() throws {
        let zone = try TestZone(.sqlite)
        let budget = MemoryBudget(byteCount: 16 << 20)
        var author = TestAuthor(1)
        let (insert, first) = author.insertPerson()
        let links = LinkBlock(
            entity: "Person", property: ChangeBlock.friends,
            links: (1...700_000).map {
                .init(left: first, right: RecordID(replica: author.replica, number: $0))
            })
        #expect(try push(insert, to: zone, RequestMemory(budget)).refusal == nil)
        let response = try push(author.save([.link(links)]), to: zone, RequestMemory(budget))
        #expect(response.acknowledgements.map(\.rejection?.code) == [.tooLarge])
        #expect(budget.available == 16 << 20)
        #expect(try zone.records().map(\.links) == [[]])
        let next = author.insertPerson().0
        #expect(
            try push(next, to: zone, RequestMemory(budget)).acknowledgements.map(\.rejection)
                == [nil])
    }
}
