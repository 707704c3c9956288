import AnabranchProtocol
import AnabranchReplication
import Foundation
import Synchronization
import Testing

@testable import AnabranchServer

/// Tests of the memory for what the validation hook is shown.
@Suite struct ShownMemoryTests {
    /// A hook that accepts everything, and notes the size of each request with the memory that the
    /// push has taken by then.
    private final class Scale: ValidationChannel {
        struct Call { let byteCount: Int, saves: Int, taken: Int }

        private let memory: RequestMemory
        private let seen = Mutex<[Call]>([])

        init(_ memory: RequestMemory) { self.memory = memory }

        var calls: [Call] { seen.withLock { $0 } }

        func answer(
            to request: [UInt8], of zone: String, within timeout: Duration, unless stop: StopSignal
        ) throws(ValidationFailure) -> [UInt8] {
            let text = String(decoding: request, as: UTF8.self)
            let saves = text.components(separatedBy: #""sequence":"#).count - 1
            let id = text.components(separatedBy: #"],"id":"#).last?.prefix { $0.isNumber } ?? ""
            seen.withLock {
                $0.append(
                    Call(byteCount: request.count, saves: saves, taken: memory.byteCount))
            }
            let results = [String](repeating: #"{"accept":true}"#, count: saves)
            return Array(
                #"{"version":1,"id":\#(id),"results":[\#(results.joined(separator: ","))]}"#.utf8)
        }

        func close() {}
    }

    /// A save of some records with columns of nulls, which takes few bytes.
    private func nulls(_ count: Int, by author: inout TestAuthor) -> ChangeSet {
        let records = (0..<count).map { _ in author.newRecord() }
        let properties = (0..<10).map {
            WireProperty(name: WireName("property\($0)"), type: .integer64)
        }
        let column = ValueColumn(repeatElement(.null, count: count))
        return author.save([
            .insert(
                RowBlock(
                    entity: "Person", records: records, properties: properties,
                    columns: properties.map { _ in column }))
        ])
    }

    private func push(
        _ sets: [ChangeSet], _ memory: RequestMemory, bodyBytes: Int = 64 << 20
    ) throws -> (answer: PushAnswer, calls: [Scale.Call]) {
        let scale = Scale(memory)
        var limits = ZoneLimits()
        limits.bodyBytes = bodyBytes
        let zone = try TestZone(.sqlite, limits: limits, hook: ValidationHook(scale))
        let answer = try zone.service.push(
            PushRequest(
                epoch: try zone.service.head().epoch, changeSets: sets.map { $0.encoded() }),
            from: nil, memory)
        return (answer, scale.calls)
    }

    @Test func `twice as many nulls reserve twice as much, before they are written`() throws {
        var byteCounts: [Int] = []
        for count in [1000, 2000, 4000, 8000] {
            let memory = RequestMemory(MemoryBudget(byteCount: 256 << 20))
            var author = TestAuthor(1)
            let set = nulls(count, by: &author)
            #expect(set.encoded().count < count + 400)
            let (answer, calls) = try push([set], memory)
            #expect(answer.acknowledgements.map(\.rejection) == [nil])
            let call = try #require(calls.first)
            #expect(call.taken >= call.byteCount + 24 * count)
            #expect(memory.byteCount < call.byteCount, "the memory for the hook is free again")
            byteCounts.append(call.byteCount)
        }
        for (less, more) in zip(byteCounts, byteCounts.dropFirst()) {
            #expect((1.9...2.1).contains(Double(more) / Double(less)))
        }
    }

    @Test func `saves that need too much memory together are shown in several calls`() throws {
        let memory = RequestMemory(MemoryBudget(byteCount: 256 << 20))
        var author = TestAuthor(1)
        let sets = (0..<4).map { _ in nulls(2000, by: &author) }
        let (answer, calls) = try push(sets, memory, bodyBytes: 1 << 20)
        #expect(answer.acknowledgements.map(\.rejection) == [nil, nil, nil, nil])
        #expect(calls.map(\.saves) == [1, 1, 1, 1])
    }

    @Test func `a save that no request has memory to show is rejected for good`() throws {
        let budget = MemoryBudget(byteCount: 1 << 20)
        let memory = RequestMemory(budget)
        var author = TestAuthor(1)
        let sets = [nulls(130_000, by: &author), author.insertPerson().0]
        let (answer, calls) = try push(sets, memory)
        #expect(answer.acknowledgements.map(\.rejection?.code) == [.tooLarge, nil])
        #expect(
            answer.acknowledgements.first?.rejection?.reason.contains("validation hook") == true)
        #expect(calls.map(\.saves) == [1])
    }

    @Test func `a save that others leave no memory for is refused for now`() throws {
        let budget = MemoryBudget(byteCount: 16 << 20)
        let other = RequestMemory(budget)
        #expect(other.take(14 << 20))
        var author = TestAuthor(1)
        let set = nulls(4000, by: &author)
        let error = #expect(throws: ProtocolError.self) {
            try push([set], RequestMemory(budget))
        }
        #expect(error?.code == .overloaded)
        other.release()
        #expect(
            try push([set], RequestMemory(budget)).answer.acknowledgements.map(\.rejection)
                == [nil])
    }
}
