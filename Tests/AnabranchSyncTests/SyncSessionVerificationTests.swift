import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import Testing

@testable import AnabranchSync

/// Tests of a session's actions for answers that compare nothing or do not end.
struct SyncSessionVerificationTests {
    typealias Script = SessionScript

    private static let sum = StateChecksum(ofRow: [1])

    private static func answer(
        at position: UInt64, _ summaries: RangeSummary...
    ) -> ScriptedEvent {
        .received(
            ChecksumsResponse(
                position: position, wallMilliseconds: 5_000, checksum: sum, summaries: summaries
            ).encoded())
    }

    private static func record(_ number: UInt64) -> RecordID {
        RecordID(replica: Script.other, number: number)
    }

    private static func part(_ upper: UInt64?) -> RangeSummary.Part {
        .init(upper: upper.map(record), checksum: sum)
    }

    private static func differing(_ ranges: RecordRange...) -> ScriptedEvent {
        var comparison = StateComparison()
        comparison.ranges = ranges
        return .compared(comparison)
    }

    private static let here = Script.state(cursor: Script.cursor(1))

    /// Returns a session that has finished its exchange and has asked for the whole range.
    private static func asking(
        _ mode: VerificationMode = .repairing, _ change: (inout SessionLimits) -> Void = { _ in }
    ) -> Script {
        var script = Script(knowsZone: true, change)
        #expect(script.begin(here, verifying: mode) == "pull")
        #expect(script.advance(Script.page(from: 1, to: 1)) == "load")
        #expect(script.advance(.loaded([], here)) == "checksums")
        return script
    }

    private static func ending(_ script: Script) -> VerificationProgress.Ending? {
        guard case .done(let outcome)? = script.ending else { return nil }
        return outcome.verification?.ending
    }

    @Test func `an exchange without verification asks for no checksums`() {
        var script = Script()
        _ = script.begin(Self.here)
        _ = script.advance(Script.page(from: 1, to: 1))
        #expect(script.advance(.loaded([], Self.here)) == "caught up")
    }

    @Test func `equal sums end it`() {
        var script = Self.asking()
        #expect(script.advance(Self.answer(at: 1)) == "compare 1 at 1")
        #expect(script.advance(.compared(StateComparison())) == "caught up")
        #expect(Self.ending(script) == .equal)
    }

    @Test func `an answer that knows more waits for the pull`() {
        var script = Self.asking()
        #expect(script.advance(Self.answer(at: 3)) == "pull")
        #expect(script.advance(Script.page(from: 1, to: 3)) == "apply 2 to 3")
        let state = Script.state(cursor: Script.cursor(3))
        #expect(script.advance(.applied(state)) == "compare 1 at 3")
    }

    @Test func `sides that are never at one position end it`() {
        var script = Self.asking { $0.verificationMisses = 2 }
        #expect(script.advance(Self.answer(at: 1)) == "compare 1 at 1")
        #expect(script.advance(.cursorMoved(Self.here)) == "pull")
        #expect(script.advance(Script.page(from: 1, to: 1)) == "load")
        #expect(script.advance(.loaded([], Self.here)) == "checksums")
        #expect(script.advance(Self.answer(at: 1)) == "compare 1 at 1")
        #expect(script.advance(.cursorMoved(Self.here)) == "caught up")
        #expect(Self.ending(script) == .inconclusive(.busy))
    }

    @Test(arguments: [
        [RangeSummary.parts([Self.part(nil)])], [.parts([])],
        [.parts([Self.part(5), Self.part(3)])],
        [.records([]), .records([])], [],
    ])
    func `summaries that are not of the ranges are refused, and asked for again`(
        summaries: [RangeSummary]
    ) {
        var script = Self.asking { $0.retry.attempts = 2 }
        _ = script.advance(Self.answer(at: 1))
        #expect(script.advance(Self.differing(.all)) == "checksums")
        let answer = ScriptedEvent.received(
            ChecksumsResponse(
                position: 1, wallMilliseconds: 5_000, checksum: Self.sum, summaries: summaries
            ).encoded())
        #expect(script.advance(answer).hasPrefix("wait"))
        #expect(script.advance(.waited) == "checksums")
        #expect(script.advance(answer) == "failed damaged-response")
    }

    @Test func `a zone that cuts for ever ends it`() {
        var script = Self.asking { $0.verificationRequests = 20 }
        _ = script.advance(Self.answer(at: 1))
        var said = script.advance(Self.differing(.all))
        var upper: UInt64 = 1 << 39
        while said == "checksums", upper > 4 {
            _ = script.advance(
                Self.answer(at: 1, .parts([Self.part(upper / 2)])))
            upper /= 2
            said = script.advance(
                Self.differing(RecordRange(lower: nil, upper: Self.record(upper))))
        }
        #expect(said == "caught up")
        #expect(Self.ending(script) == .inconclusive(.endless))
    }

    @Test func `records that differ again and again end it`() {
        var script = Self.asking { $0.verificationRounds = 2 }
        var comparison = StateComparison()
        comparison.records = [.init(record: Self.record(1), kind: .changed)]
        for _ in 0..<2 {
            _ = script.advance(Self.answer(at: 1))
            #expect(script.advance(Self.differing(.all)) == "checksums")
            #expect(
                script.advance(Self.answer(at: 1, .records([]))) == "compare 1 at 1")
            #expect(script.advance(.compared(comparison)) == "queue 1")
            #expect(script.advance(.queuedForRepair(Self.here)) == "checksums")
        }
        _ = script.advance(Self.answer(at: 1))
        #expect(script.advance(Self.differing(.all)) == "caught up")
        #expect(Self.ending(script) == .inconclusive(.notRepaired))
    }

    @Test func `a whole that differs where no range does is the zone's mistake`() {
        var script = Self.asking(.reporting)
        _ = script.advance(Self.answer(at: 1))
        _ = script.advance(Self.differing(.all))
        _ = script.advance(Self.answer(at: 1, .records([])))
        #expect(script.advance(.compared(StateComparison())) == "checksums")
        _ = script.advance(Self.answer(at: 1))
        #expect(script.advance(Self.differing(.all)) == "caught up")
        #expect(Self.ending(script) == .inconclusive(.zoneInconsistent))
    }
}
