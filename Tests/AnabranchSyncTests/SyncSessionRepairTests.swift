import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import Testing

@testable import AnabranchSync

/// Tests of a session's actions for clocks, forms, and records that wait for repair.
struct SyncSessionRepairTests {
    typealias Script = SessionScript

    private static let record = RecordID(replica: Script.other, number: 1)

    private static func images(
        _ records: [RecordID] = [record], at position: UInt64
    ) -> ScriptedEvent {
        .received(
            RepairResponse(
                position: position, wallMilliseconds: 5_000,
                images: records.map { RecordImage(id: $0) }
            ).encoded())
    }

    /// Returns a session that has pulled one change set, has nothing to push and has records that
    /// wait for repair.
    private static func waitingForRepair() -> Script {
        var script = Script()
        _ = script.begin()
        _ = script.advance(Script.page(to: 1))
        let state = Script.state(cursor: Script.cursor(1), hasRecordsToRepair: true)
        _ = script.advance(.applied(state))
        #expect(script.advance(.loaded([], state)) == "load records to repair")
        return script
    }

    @Test func `records that wait for repair are fetched before the exchange ends`() {
        var script = Self.waitingForRepair()
        #expect(script.advance(.recordsToRepair([Self.record])) == "repair")
        #expect(script.advance(Self.images(at: 1)) == "repair 1 at 1")
        let state = Script.state(cursor: Script.cursor(1))
        #expect(script.advance(.applied(state)) == "caught up")
    }

    @Test func `images that the store can't take end the exchange after some attempts`() {
        var script = Self.waitingForRepair()
        let error = SyncError(.damagedResponse, "The log is damaged.")
        var actions = [script.advance(.recordsToRepair([Self.record]))]
        while let action = actions.last, actions.count < 100 {
            switch action {
            case "repair": actions.append(script.advance(Self.images(at: 1)))
            case "repair 1 at 1": actions.append(script.advance(.storeFailed(error)))
            case "load records to repair":
                actions.append(script.advance(.recordsToRepair([Self.record])))
            case _ where action.hasPrefix("wait"): actions.append(script.advance(.waited))
            default:
                #expect(action == "failed damaged-response")
                #expect(actions.count { $0 == "repair 1 at 1" } == 5)
                return
            }
        }
        Issue.record("the exchange does not end: \(actions)")
    }

    @Test func `a record that no answer holds makes the store take a snapshot`() {
        var script = Self.waitingForRepair()
        #expect(script.advance(.recordsToRepair([Self.record])) == "repair")
        let refusal = ProtocolError(.repairTooLarge, "Too large.")
        #expect(script.advance(.refused(refusal, retryAfter: nil)) == "want snapshot")
        let state = Script.state(cursor: Script.cursor(1), hasRecordsToRepair: true)
        #expect(script.advance(.recorded(state)) == "hello")
    }

    @Test func `an answer from before the zone was restored is requested again`() {
        var script = Self.waitingForRepair()
        _ = script.advance(.recordsToRepair([Self.record]))
        #expect(script.advance(Self.images(at: 3)) == "pull")
        #expect(script.advance(Script.refused(.unknownCursor)) == "hello")
        #expect(script.advance(Script.greeting(head: 1)) == "pull")
        #expect(script.advance(Script.page(from: 1, to: 1)) == "load records to repair")
    }

    @Test func `an answer that knows more than the store waits for the pull`() {
        var script = Self.waitingForRepair()
        _ = script.advance(.recordsToRepair([Self.record]))
        #expect(script.advance(Self.images(at: 3)) == "pull")
        #expect(script.advance(Script.page(from: 1, to: 3)) == "apply 2 to 3")
        let state = Script.state(cursor: Script.cursor(3), hasRecordsToRepair: true)
        #expect(script.advance(.applied(state)) == "repair 1 at 3")
        #expect(script.advance(.applied(Script.state(cursor: Script.cursor(3)))) == "caught up")
    }

    @Test func `a record that an answer leaves out is requested again`() {
        var script = Self.waitingForRepair()
        let second = RecordID(replica: Script.other, number: 2)
        _ = script.advance(.recordsToRepair([Self.record, second]))
        #expect(script.advance(Self.images(at: 1)) == "repair 1 at 1")
        let state = Script.state(cursor: Script.cursor(1), hasRecordsToRepair: true)
        #expect(script.advance(.applied(state)) == "load records to repair")
    }

    @Test func `an answer about other records is damaged`() {
        var script = Self.waitingForRepair()
        _ = script.advance(.recordsToRepair([Self.record]))
        let other = RecordID(replica: Script.other, number: 9)
        #expect(script.advance(Self.images([other], at: 1)) == "wait 250")
        #expect(script.advance(.waited) == "load records to repair")
        _ = script.advance(.recordsToRepair([Self.record]))
        #expect(script.advance(Self.images([], at: 1)) == "wait 500")
    }

    @Test func `a clock that is ahead is corrected a few times, then the push stops`() {
        var script = Script()
        _ = script.begin(Script.state(pending: 1))
        _ = script.advance(Script.page(to: 0))
        for _ in 1..<script.session.limits.rounds {
            _ = script.advance(.loaded(Script.pending(1), Script.state(pending: 1)))
            #expect(
                script.advance(Script.taken(0, refusal: .clockSkew))
                    == "restamp above 305000, offset 4000")
            #expect(script.advance(.restamped) == "load")
        }
        _ = script.advance(.loaded(Script.pending(1), Script.state(pending: 1)))
        #expect(
            script.advance(Script.taken(0, refusal: .clockSkew)) == "blocked clock-skew")
    }

    /// The bound follows from the clock of the refusing zone, and not from the device's clock.
    @Test(arguments: [-3_000_000, 30_000, 90_000, 3_000_000] as [Int64])
    func `a clock that jumps while the zone answers does not move the bound`(jump: Int64) {
        var script = Script()
        script.moment.wallMilliseconds = 10_000_000
        _ = script.begin(Script.state(pending: 1))
        _ = script.advance(Script.page(to: 0))
        _ = script.advance(.loaded(Script.pending(1), Script.state(pending: 1)))
        script.moment.wallMilliseconds += jump
        let action = script.advance(Script.taken(0, refusal: .clockSkew))
        #expect(action.hasPrefix("restamp above 305000,"))
    }

    /// The correction is added to the current clock, not to the clock at the time of the request.
    @Test(arguments: [-3_000_000, 3_000_000] as [Int64])
    func `a clock that jumps while the zone answers is corrected from its current time`(jump: Int64)
    {
        var script = Script()
        script.moment.wallMilliseconds = 10_000_000
        _ = script.begin(Script.state(pending: 1))
        _ = script.advance(Script.page(to: 0))
        _ = script.advance(.loaded(Script.pending(1), Script.state(pending: 1)))
        script.moment.wallMilliseconds += jump
        let now = script.moment.wallMilliseconds
        #expect(
            script.advance(Script.taken(0, refusal: .clockSkew))
                == "restamp above 305000, offset \(5_000 - now)")
    }

    @Test func `a corrected clock is corrected again as long as the push continues`() {
        var script = Script()
        _ = script.begin(Script.state(pending: 9))
        _ = script.advance(Script.page(to: 0))
        for _ in 0..<script.session.limits.rounds * 2 {
            _ = script.advance(.loaded(Script.pending(2), Script.state(pending: 2)))
            #expect(script.advance(Script.taken(1, refusal: .clockSkew)) == "acknowledge 1")
            #expect(
                script.advance(.acknowledged(Script.state(pending: 1)))
                    == "restamp above 305000, offset 4000")
            #expect(script.advance(.restamped) == "load")
        }
    }

    @Test func `a set that the log has in another form is pulled, a few times at most`() {
        var script = Script()
        _ = script.begin(Script.state(pending: 1))
        _ = script.advance(Script.page(to: 0))
        for round in 1...script.session.limits.rounds {
            _ = script.advance(.loaded(Script.pending(1), Script.state(pending: 1)))
            #expect(script.advance(Self.takenInAnotherForm) == "acknowledge 1")
            let isLast = round == script.session.limits.rounds
            #expect(
                script.advance(.acknowledged(Script.state(pending: 1)))
                    == (isLast ? "blocked forked" : "pull"))
            if !isLast { #expect(script.advance(Script.page(to: 0)) == "load") }
        }
    }

    private static var takenInAnotherForm: ScriptedEvent {
        let set = Script.sets(1)[0]
        return .received(
            PushResponse(
                acknowledging: [
                    .init(
                        position: 1, dot: set.dot, timestamp: .zero, digest: Digest(of: [1]))
                ], of: [.init(set)], refusal: nil, headPosition: 0, wallMilliseconds: 5_000
            ).encoded())
    }
}
