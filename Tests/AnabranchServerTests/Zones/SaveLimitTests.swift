import AnabranchProtocol
import AnabranchReplication
import Testing

@testable import AnabranchServer

/// A table of every limit of a save and of every form in which a save is pushed.
///
/// Each cell is tested on both sides of the limit: a save that just keeps it is accepted, and one
/// that exceeds it is not.
///
/// Beside the table, `DividedSaveTests` shows that clients divide a save for the limit of bodies,
/// `PushMemoryTests` that the first change sets of too many are taken, and `ZoneQuotaTests` by how
/// much a zone may exceed its quotas with voids that it makes itself.
@Suite struct SaveLimitTests {
    enum Form: CaseIterable {
        /// One change set.
        case whole
        /// A change set that lists two parts, which are staged before.
        case inParts
        /// A save that its client divides because it is larger than a request: its payload is one
        /// part, which is staged in two pieces before.
        case divided
        /// One change set, with another one before it in the same request.
        case behindAnother
        /// The entry of a rejected save, which a client pushes.
        case void
        /// The entry of a save that no replica can supply, which a client pushes.
        case lost

        var hasParts: Bool { self == .inParts || self == .divided }
        var isSave: Bool { self != .void && self != .lost }
    }

    enum Limit: CaseIterable {
        /// The size of a request's body, and the change sets of one push.
        case bodyBytes, changeSets
        case saveBytes, partBytes, recordBytes, clock
        /// What is staged for saves that have not been pushed.
        case stagedBytes, stagedParts
        /// The number of values of a record, and of those that deletes of it have seen.
        case values, seenStamps
        /// The number of concurrent changes of a link.
        case tags
        case quotaOfBytes, quotaOfRecords, quotaOfReplicas, quotaOfDailyBytes

        var quantity: ZoneQuotas.Quantity? {
            switch self {
            case .quotaOfBytes: .bytes
            case .quotaOfRecords: .records
            case .quotaOfReplicas: .replicas
            case .quotaOfDailyBytes: .dailyBytes
            default: nil
            }
        }
    }

    /// The code of the rejection or refusal of a save beyond a limit; `nil` if the limit does not
    /// apply to that form.
    private func expected(_ limit: Limit, _ form: Form) -> String? {
        switch limit {
        case .bodyBytes: "body-too-large"
        // The change sets before it are taken, and the client pushes it again.
        case .changeSets: "overloaded"
        // A void and a lost entry have no content. A void is as large as its reason, which is cut.
        case .saveBytes, .recordBytes, .values, .seenStamps, .tags:
            form.isSave ? "too-large" : nil
        // A part is refused when it is staged. A save that has no parts keeps the limit.
        case .partBytes: form.hasParts ? "body-too-large" : nil
        case .stagedBytes, .stagedParts: form.hasParts ? "storage-full" : nil
        // A void has the time of its save, and a lost entry has none.
        case .clock: form == .lost ? nil : "clock-skew"
        case .quotaOfRecords: form.isSave ? "quota-exceeded" : nil
        case .quotaOfBytes, .quotaOfReplicas, .quotaOfDailyBytes: "quota-exceeded"
        }
    }

    /// Pushes a save that just keeps a limit, or just exceeds it.
    ///
    /// - Returns: `nil` if it was accepted, or the code of its rejection or refusal.
    private func outcome(
        _ limit: Limit, _ form: Form, isBeyond: Bool, _ kind: StorageKind
    ) throws -> String? {
        let pushed = PushedSave(form)
        let excess = isBeyond ? 1 : 0
        var limits = ZoneLimits()
        switch limit {
        case .bodyBytes:
            return try StorageKind.$current.withValue(kind) {
                try pushed.outcome(largestBody: pushed.largestBody - excess)
            }
        case .changeSets:
            let most = DecodingRoom.mostOfChangeSets / DecodingRoom.perChangeSet
            return pushed.refusal(among: most + excess)
        case .saveBytes: limits.saveBytes = pushed.saveBytes - excess
        case .partBytes: limits.partBytes = pushed.largestPart - excess
        case .stagedBytes: limits.stagedBytes = pushed.stagedBytes - excess
        case .stagedParts: limits.stagedParts = pushed.parts.count - excess
        case .recordBytes: limits.recordBytes = isBeyond ? 10_000 : 20_000
        case .clock:
            let lead = limits.clockMilliseconds + (isBeyond ? 5000 : 0)
            return try PushedSave(form, aheadMilliseconds: lead).outcome(try TestZone(kind))
        case .values, .seenStamps:
            return try Self.counted(limit, form, isBeyond: isBeyond).outcome(try TestZone(kind))
        case .tags:
            let held = StateMerger.greatestTagCount - 1 + excess
            let (zone, link) = try Self.zone(kind, withTags: held)
            return try PushedSave(form) { [.person($0.newRecord(), name: "Ada"), link] }
                .outcome(zone)
        case .quotaOfBytes, .quotaOfRecords, .quotaOfReplicas, .quotaOfDailyBytes: break
        }
        if let quantity = limit.quantity {
            let unlimited = try TestZone(kind)
            #expect(try pushed.outcome(unlimited) == nil)
            let amount = try #require(try unlimited.service.amounts()[quantity])
            limits.quotas[quantity] = .most(max(0, amount - Int64(excess)))
        }
        return try pushed.outcome(try TestZone(kind, limits: limits))
    }

    /// A zone in which a link has many tags, as after as many saves that had not seen each other.
    ///
    /// - Returns: The zone, and the block of a further save that adds the link.
    private static func zone(
        _ kind: StorageKind, withTags count: Int
    ) throws -> (TestZone, ChangeBlock) {
        let zone = try TestZone(kind)
        var author = TestAuthor(9)
        let (first, left) = author.insertPerson()
        let (second, right) = author.insertPerson()
        #expect(try zone.push(first, second).refusal == nil)
        let stamps = (1...count).map {
            Stamp(timestamp: HybridTimestamp(rawValue: UInt64($0)), replica: author.replica)
        }
        try zone.storage.write { writer in
            let ordinal = try writer.ordinal(of: author.replica)
            let key = LinkKey(
                left: RecordKey(ordinal: ordinal, number: left.number),
                property: try writer.number(ofProperty: ChangeBlock.friends),
                right: RecordKey(ordinal: ordinal, number: right.number))
            try writer.put([key: StoredTags.encoded(stamps) { _ in ordinal }])
        }
        return (zone, .befriend(left, right))
    }

    /// A save of two blocks that change one record, with half of what is counted in each.
    private static func counted(_ limit: Limit, _ form: Form, isBeyond: Bool) -> PushedSave {
        let greatest =
            limit == .values ? StateMerger.greatestValueCount : StateMerger.greatestSeenCount
        let all = 0..<greatest + (isBeyond ? 1 : 0)
        let halves = [all.prefix(greatest / 2), all.dropFirst(greatest / 2)]
        return PushedSave(form) { author in
            let record = author.newRecord()
            guard limit == .values else {
                return [.person(record, name: "Ada")]
                    + halves.map { .yieldingDelete(delete(record, seeing: $0)) }
            }
            let rows = halves.map { RowBlock(entity: "Person", record, values: $0) }
            return [.insert(rows[0]), .update(rows[1])]
        }
    }

    private static func delete(
        _ record: RecordID, seeing numbers: Range<Int>
    ) -> YieldingDeleteBlock {
        let stamps = numbers.map {
            Stamp(
                timestamp: HybridTimestamp(rawValue: UInt64($0 + 1)), replica: record.replica)
        }
        return YieldingDeleteBlock(
            entity: "Person", deletes: [.init(record: record, stampsSeen: stamps)])
    }

    @Test(arguments: Limit.allCases, Form.allCases)
    func `a limit holds for every form of a save`(limit: Limit, form: Form) throws {
        for kind in StorageKind.allCases {
            #expect(try outcome(limit, form, isBeyond: false, kind) == nil)
            #expect(try outcome(limit, form, isBeyond: true, kind) == expected(limit, form))
        }
    }

    @Test func `a save in parts that is too large is rejected before a part is staged`() throws {
        var limits = ZoneLimits()
        let pushed = PushedSave(.inParts)
        limits.saveBytes = pushed.saveBytes - 1
        let zone = try TestZone(.sqlite, limits: limits)
        let answer = try zone.push(pushed.sets)
        #expect(answer.acknowledgements.map(\.rejection?.code) == [.tooLarge])
    }
}

/// A save in one of the forms, and what has to be pushed and staged with it.
private struct PushedSave {
    private var pieces: [StageRequest] = []
    private(set) var sets: [ChangeSet] = []

    /// Two records with a long value each.
    init(_ form: SaveLimitTests.Form, aheadMilliseconds: Int64 = 0) {
        self.init(form, aheadMilliseconds: aheadMilliseconds) { author in
            (0..<2).map { _ in
                ChangeBlock.person(author.newRecord(), name: String(repeating: "x", count: 10_000))
            }
        }
    }

    init(
        _ form: SaveLimitTests.Form, aheadMilliseconds: Int64 = 0,
        _ makeBlocks: (inout TestAuthor) -> [ChangeBlock]
    ) {
        var author = TestAuthor(1)
        author.wallMilliseconds += aheadMilliseconds
        let blocks = makeBlocks(&author)
        switch form {
        case .whole: sets = [author.save(blocks)]
        case .inParts:
            pieces = blocks.map {
                let bytes = ChangePayload(blocks: [$0]).encoded(author: author.replica)
                return StageRequest(part: SavePart(of: bytes), start: 0, bytes: bytes)
            }
            sets = [author.save(payload: PartList(parts).encoded(), as: .saveInParts)]
        case .divided:
            let save = author.save(blocks)
            let part = SavePart(of: save.payload)
            let half = save.payload.count / 2
            pieces = [save.payload[..<half], save.payload[half...]].map {
                StageRequest(part: part, start: UInt64($0.startIndex), bytes: Array($0))
            }
            sets = [ChangeSet(dividing: save, into: part)]
        case .behindAnother:
            var other = TestAuthor(2)
            sets = [other.insertPerson().0, author.save(blocks)]
        case .void:
            let rejection = SaveRejection(.malformed, "A client says so.")
            sets = [ChangeSet(voiding: author.save(blocks), for: rejection)]
        case .lost: sets = [ChangeSet(lost: author.save(blocks).dot)]
        }
    }

    var parts: [SavePart] { pieces.filter { $0.start == 0 }.map(\.part) }
    var largestPart: Int { parts.map(\.byteCount).max() ?? 0 }
    var stagedBytes: Int { parts.reduce(0) { $0 + $1.byteCount } }
    var saveBytes: Int { (sets.last?.encoded().count ?? 0) + stagedBytes }

    /// Pushes everything into a new zone.
    ///
    /// - Returns: `nil` if the save was accepted, or the code of its rejection or refusal.
    func outcome(_ zone: TestZone) throws -> String? {
        do {
            for piece in pieces { _ = try zone.service.stage(piece) }
            let answer = try zone.push(sets)
            guard answer.acknowledgements.count == sets.count else {
                return answer.refusal?.code.rawValue
            }
            let rejection = answer.acknowledgements.last?.rejection
            // A void is acknowledged with the rejection that it has.
            return rejection == sets.last?.rejection ? nil : rejection?.code.rawValue
        } catch let error as ProtocolError {
            return error.code.rawValue
        }
    }

    // MARK: - Limits of requests

    private func bodies(_ epoch: EpochID) -> [(page: String, body: [UInt8])] {
        let push = PushRequest(epoch: epoch, changeSets: sets.map { $0.encoded() })
        return pieces.map { ("stage", $0.encoded()) } + [("push", push.encoded())]
    }

    var largestBody: Int { bodies(EpochID(high: 1, low: 1)).map(\.body.count).max() ?? 0 }

    /// Sends everything to a new server with a limit of bodies.
    func outcome(largestBody limit: Int) throws -> String? {
        let server = try TestServer { $0.zones.bodyBytes = limit }
        for (page, body) in bodies(try server.hello().epoch) {
            let response = try server.post("/v1/zones/test/\(page)", body)
            guard response.status == 200 else { return response.code }
            guard page == "push" else { continue }
            let answer = try PushResponse(decoding: response.body)
            #expect(answer.refusal == nil && answer.acknowledgedCount == UInt64(sets.count))
        }
        return nil
    }

    /// Decodes a push of many change sets of which the save is the last one.
    ///
    /// - Returns: The code of the refusal of the first one that is too many.
    func refusal(among count: Int) -> String? {
        let replica = ReplicaID(high: 5, low: 5)
        let others = (1...count - sets.count).map {
            ChangeSet(lost: Dot(replica: replica, sequence: UInt64($0)))
        }
        let request = PushRequest(
            epoch: EpochID(high: 1, low: 1), changeSets: (others + sets).map { $0.encoded() })
        let memory = RequestMemory(MemoryBudget(byteCount: 512 << 20))
        return PushJob(request, from: nil, memory, limits: ZoneLimits()).refusal?.code.rawValue
    }
}

extension RowBlock {
    /// One record with a value for each number.
    fileprivate init(entity: WireName, _ record: RecordID, values: Range<Int>) {
        self.init(
            entity: entity, records: [record],
            properties: values.map { WireProperty(name: WireName("p\($0)"), type: .integer64) },
            columns: values.map { _ in [.integer(1)] })
    }
}
