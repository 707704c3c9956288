import AnabranchProtocol
import AnabranchReplication
import Testing

@testable import AnabranchServer

/// A table of every limit of a save and of every form in which a save is pushed.
///
/// Each cell is tested on both sides of the limit: a save that just keeps it is accepted, and one
/// that exceeds it is not.
@Suite struct SaveLimitTests {
    enum Form: CaseIterable {
        /// One change set.
        case whole
        /// A change set that lists two parts, which are staged before.
        case inParts
        /// One change set, with another one before it in the same request.
        case behindAnother
    }

    enum Limit: CaseIterable {
        case saveBytes, partBytes, recordBytes, clock
        case quotaOfBytes, quotaOfRecords, quotaOfReplicas, quotaOfDailyBytes

        var quantity: ZoneQuotas.Quantity? {
            switch self {
            case .quotaOfBytes: .bytes
            case .quotaOfRecords: .records
            case .quotaOfReplicas: .replicas
            case .quotaOfDailyBytes: .dailyBytes
            case .saveBytes, .partBytes, .recordBytes, .clock: nil
            }
        }
    }

    /// A save in one of the forms, and what has to be pushed and staged with it.
    private struct Pushed {
        var parts: [[UInt8]] = []
        var sets: [ChangeSet] = []

        var saveBytes: Int { (sets.last?.encoded().count ?? 0) + parts.reduce(0) { $0 + $1.count } }

        init(_ form: Form, aheadMilliseconds: Int64 = 0) {
            var author = TestAuthor(1)
            author.wallMilliseconds += aheadMilliseconds
            let blocks = (0..<2).map { _ in
                ChangeBlock.person(
                    author.newRecord(), name: String(repeating: "x", count: 10_000))
            }
            switch form {
            case .whole: sets = [author.save(blocks)]
            case .inParts:
                parts = blocks.map {
                    ChangePayload(blocks: [$0]).encoded(author: author.replica)
                }
                let list = PartList(parts.map { SavePart(of: $0) })
                sets = [author.save(payload: list.encoded(), as: .saveInParts)]
            case .behindAnother:
                var other = TestAuthor(2)
                sets = [other.insertPerson().0, author.save(blocks)]
            }
        }

        /// Pushes everything into a new zone.
        ///
        /// - Returns: `nil` if the save was accepted, or the code of its rejection or refusal.
        func outcome(_ zone: TestZone) throws -> String? {
            do {
                for part in parts {
                    _ = try zone.service.stage(
                        StageRequest(part: SavePart(of: part), start: 0, bytes: part))
                }
                let answer = try zone.push(sets)
                guard answer.acknowledgements.count == sets.count else {
                    return answer.refusal?.code.rawValue
                }
                return answer.acknowledgements.last?.rejection?.code.rawValue
            } catch let error as ProtocolError {
                return error.code.rawValue
            }
        }
    }

    /// Pushes a save that just keeps a limit, or just exceeds it.
    ///
    /// - Returns: `nil` if it was accepted, or the code of its rejection or refusal.
    private func outcome(
        _ limit: Limit, _ form: Form, isBeyond: Bool, _ kind: StorageKind
    ) throws -> String? {
        let pushed = Pushed(form)
        var limits = ZoneLimits()
        switch limit {
        case .saveBytes: limits.saveBytes = pushed.saveBytes - (isBeyond ? 1 : 0)
        case .partBytes: limits.partBytes = (pushed.parts.first?.count ?? 0) - (isBeyond ? 1 : 0)
        case .recordBytes: limits.recordBytes = isBeyond ? 10_000 : 20_000
        case .clock:
            let lead = limits.clockMilliseconds + (isBeyond ? 5000 : 0)
            return try Pushed(form, aheadMilliseconds: lead).outcome(try TestZone(kind))
        case .quotaOfBytes, .quotaOfRecords, .quotaOfReplicas, .quotaOfDailyBytes: break
        }
        if let quantity = limit.quantity {
            let unlimited = try TestZone(kind)
            #expect(try pushed.outcome(unlimited) == nil)
            let amount = try #require(try unlimited.service.amounts()[quantity])
            limits.quotas[quantity] = .most(amount - (isBeyond ? 1 : 0))
        }
        return try pushed.outcome(try TestZone(kind, limits: limits))
    }

    private func expected(_ limit: Limit, _ form: Form) -> String? {
        switch limit {
        case .saveBytes, .recordBytes: "too-large"
        // A part is refused when it is staged. A save that has no parts keeps the limit.
        case .partBytes: form == .inParts ? "body-too-large" : nil
        case .clock: "clock-skew"
        case .quotaOfBytes, .quotaOfRecords, .quotaOfReplicas, .quotaOfDailyBytes:
            "quota-exceeded"
        }
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
        let pushed = Pushed(.inParts)
        limits.saveBytes = pushed.saveBytes - 1
        let zone = try TestZone(.sqlite, limits: limits)
        let answer = try zone.push(pushed.sets)
        #expect(answer.acknowledgements.map(\.rejection?.code) == [.tooLarge])
    }
}
