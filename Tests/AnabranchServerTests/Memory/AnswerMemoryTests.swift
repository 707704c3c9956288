import AnabranchProtocol
import AnabranchReplication
import Testing

@testable import AnabranchServer

/// Tests of the memory that answers need, which is counted before they are built.
@Suite(.everyStore) struct AnswerMemoryTests {
    /// Pushes a record and so many links that point to it, or from it to others.
    private func linked(
        _ count: Int, outgoing: Bool = false, by author: UInt64 = 1,
        property: WireProperty = ChangeBlock.friends, in server: TestServer
    ) throws -> RecordID {
        var author = TestAuthor(author)
        let (first, popular) = author.insertPerson()
        let others = (0..<count).map { _ in author.newRecord() }
        let rows = RowBlock(
            entity: "Person", records: others, properties: [.init(name: "n", type: .integer64)],
            columns: [ValueColumn(repeatElement(.integer(1), count: count))])
        let links = LinkBlock(
            entity: "Person", property: property,
            links: others.map {
                outgoing ? .init(left: popular, right: $0) : .init(left: $0, right: popular)
            })
        _ = try server.push([first, author.save([.insert(rows), .link(links)])])
        return popular
    }

    @Test(arguments: [(500, 200), (1000, 200), (2000, 409), (4000, 409)])
    func `an image with more links than there is memory for is refused before it is made`(
        links: Int, status: Int
    ) throws {
        let server = try TestServer { $0.http.bufferedBytes = 1 << 20 }
        let record = try linked(links, in: server)
        let request = RepairRequest(epoch: try server.hello().epoch, records: [record])
        let response = try server.post("/v1/zones/test/repair", request.encoded(), role: .read)
        #expect(response.status == status)
        if status == 409 { #expect(response.code == "repair-too-large") }
    }

    @Test(arguments: [(500, 200), (1000, 200), (2000, 409), (4000, 409)])
    func `a record with more links than there is memory for is neither summed nor hashed`(
        links: Int, status: Int
    ) throws {
        let server = try TestServer { $0.http.bufferedBytes = 1 << 20 }
        let record = try linked(links, outgoing: true, in: server)
        let request = ChecksumsRequest(epoch: try server.hello().epoch, ranges: [.all])
        let sums = try server.post("/v1/zones/test/checksums", request.encoded(), role: .read)
        let hash = try server.get("/v1/zones/test/hash")
        for response in [sums, hash] {
            #expect(response.status == status)
            guard status == 409 else { continue }
            #expect(response.code == "record-too-large")
            #expect(String(decoding: response.body, as: UTF8.self).contains("\(record)"))
        }
        #expect(try server.get("/v1/zones/test").status == 200, "it only counts the links")
    }

    private static let longName = String(repeating: "n", count: Limits.longestName)

    @Test(arguments: [(50, 200), (100, 200), (200, 409), (400, 409)])
    func `the name of a relationship counts for each link that is written with it`(
        links: Int, status: Int
    ) throws {
        let server = try TestServer { $0.http.bufferedBytes = 1 << 20 }
        let property = WireProperty(name: WireName(Self.longName), type: .links, rule: .set)
        let epoch = try server.hello().epoch
        let record = try linked(links, property: property, in: server)
        let repair = RepairRequest(epoch: epoch, records: [record])
        #expect(
            try server.post("/v1/zones/test/repair", repair.encoded(), role: .read).status
                == status)
        _ = try linked(links, outgoing: true, by: 2, property: property, in: server)
        let sums = ChecksumsRequest(epoch: epoch, ranges: [.all])
        #expect(
            try server.post("/v1/zones/test/checksums", sums.encoded(), role: .read).status
                == status)
        #expect(try server.get("/v1/zones/test/hash").status == status)
    }

    @Test(arguments: [(50, 200), (400, 409)])
    func `the names of values count, too`(properties: Int, status: Int) throws {
        let server = try TestServer { $0.http.bufferedBytes = 1 << 20 }
        var author = TestAuthor(1)
        let record = author.newRecord()
        let columns = (0..<properties).map {
            WireProperty(name: WireName("\($0)" + Self.longName.dropFirst(4)), type: .bool)
        }
        let rows = RowBlock(
            entity: "Person", records: [record], properties: columns,
            columns: columns.map { _ in [.bool(true)] })
        _ = try server.push([author.save([.insert(rows)])])
        let repair = RepairRequest(epoch: try server.hello().epoch, records: [record])
        #expect(
            try server.post("/v1/zones/test/repair", repair.encoded(), role: .read).status
                == status)
    }

    @Test func `records are summed one after the other, in the memory of the largest`() throws {
        let server = try TestServer { $0.http.bufferedBytes = 1 << 20 }
        for author in UInt64(1)...5 {
            _ = try linked(1000, outgoing: true, by: author, in: server)
        }
        let request = ChecksumsRequest(epoch: try server.hello().epoch, ranges: [.all])
        let sums = try server.post("/v1/zones/test/checksums", request.encoded(), role: .read)
        #expect(sums.status == 200)
        #expect(try server.get("/v1/zones/test/hash").status == 200)
    }

    @Test func `a record is summed though its values need more than a request has`() throws {
        let zone = try TestZone(StorageKind.current)
        var author = TestAuthor(1)
        let name = String(repeating: "x", count: 4 << 20)
        #expect(try zone.push(author.insertPerson(name).0).refusal == nil)
        let budget = MemoryBudget(byteCount: 1 << 20)
        let memory = RequestMemory(budget)
        let request = ChecksumsRequest(epoch: try zone.service.head().epoch, ranges: [.all])
        #expect(try zone.service.checksums(request, memory).summaries.count == 1)
        #expect(memory.byteCount == memory.limit, "the values count as all that it can have")
        let other = RequestMemory(budget)
        #expect(
            try zone.service.canonicalHash(other).hash == zone.service.canonicalHash().hash)
        #expect(budget.available == 0)
    }

    @Test(arguments: [1, 2, 4])
    func `a change set larger than its page is counted before it is read`(
        mebibytes: Int
    ) throws {
        let zone = try TestZone(StorageKind.current)
        var author = TestAuthor(1)
        let name = String(repeating: "x", count: mebibytes << 20)
        #expect(try zone.push(author.insertPerson(name).0).refusal == nil)
        let pull = PullRequest(cursor: nil, byteLimit: 1)
        let memory = RequestMemory(MemoryBudget(byteCount: 64 << 20))
        #expect(try zone.service.pull(pull, memory).changeSets.count == 1)
        #expect((2 * mebibytes << 20...(2 * mebibytes << 20) + 1000).contains(memory.byteCount))
        let budget = MemoryBudget(byteCount: 64 << 20)
        let other = RequestMemory(budget)
        #expect(other.take((64 - mebibytes) << 20))
        let error = #expect(throws: ProtocolError.self) {
            try zone.service.pull(pull, RequestMemory(budget))
        }
        #expect(error?.code == .overloaded)
    }

    /// A push of a save in parts, after its parts were staged.
    private func pushInParts(to server: TestServer) throws -> SavePart {
        var author = TestAuthor(1)
        let (save, parts) = author.insertInParts(2)
        for part in parts {
            let stage = StageRequest(part: SavePart(of: part), start: 0, bytes: part)
            #expect(try server.post("/v1/zones/test/stage", stage.encoded()).status == 200)
        }
        #expect(try server.push([save]).acknowledgements.map(\.rejection) == [nil])
        return SavePart(of: parts[0])
    }

    @Test(arguments: ["snapshot", "part"], [(missing: 0, status: 200), (missing: 1, status: 503)])
    func `a chunk of a snapshot and a piece of a part are counted before they are read`(
        page: String, others: (missing: Int, status: Int)
    ) throws {
        let server = try TestServer { $0.http.bufferedBytes = 1 << 20 }
        let part = try pushInParts(to: server)
        let body =
            page == "part"
            ? PartRequest(part: part, start: 0, byteLimit: 10).encoded()
            : SnapshotRequest().encoded()
        // Either may have as many bytes as a page, and its encoded form has them once more.
        let taken = RequestMemory(server.budget)
        #expect(taken.take(server.budget.byteCount - server.budget.share + others.missing))
        let response = try server.post("/v1/zones/test/\(page)", body, role: .read)
        #expect(response.status == others.status)
        #expect(response.code == (others.status == 503 ? "overloaded" : nil))
        taken.release()
        #expect(try server.post("/v1/zones/test/\(page)", body, role: .read).status == 200)
    }
}
