import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import Testing

@testable import AnabranchSync

/// Tests of a session's actions for change sets that a zone lacks or rejects.
struct SyncSessionLossTests {
    typealias Script = SessionScript

    private static func refusal(
        _ code: ProtocolError.Code, _ details: [String: String]
    ) -> ScriptedEvent {
        .received(
            PushResponse(
                acknowledging: [], of: [], refusal: ProtocolError(code, "No.", details: details),
                headPosition: 0, wallMilliseconds: 5_000
            ).encoded())
    }

    private static let missing = refusal(
        .missingCauses,
        [
            "causeReplica": Script.other.description, "causeSequence": "4", "causeNext": "3",
        ])
    private static let gap = refusal(
        .sequenceGap, ["replica": Script.me.description, "sequence": "3", "refused": "5"])

    /// Returns a session with a push that was refused before and after a pull.
    private static func refusedTwice(_ refusal: ScriptedEvent) -> Script {
        var script = Script()
        _ = script.begin(Script.state(pending: 2))
        _ = script.advance(Script.page(to: 0))
        _ = script.advance(.loaded(Script.pending(2), Script.state(pending: 2)))
        #expect(script.advance(refusal) == "pull")
        #expect(script.advance(Script.page(to: 0)) == "load")
        _ = script.advance(.loaded(Script.pending(2), Script.state(pending: 2)))
        #expect(script.advance(refusal) == "supply 3..<5")
        return script
    }

    @Test(arguments: [0, 1])
    func `change sets that the zone lacks are looked for if pulling did not help`(_ number: Int) {
        var script = Self.refusedTwice([Self.missing, Self.gap][number])
        let lost = [3, 4].map {
            StoredLogEntry(
                localPosition: 0, place: nil,
                changeSet: ChangeSet(lost: Dot(replica: Script.other, sequence: $0)))
        }
        #expect(script.advance(.supplied(lost)) == "push")
        let pushed = try? PushRequest(decoding: script.body)
        #expect(pushed?.changeSets == lost.map { $0.changeSet.encoded() })
    }

    @Test func `the push stops if nothing can be supplied or supplying did not help`() {
        var script = Self.refusedTwice(Self.missing)
        #expect(script.advance(.supplied([])) == "blocked missing-causes")
        script = Self.refusedTwice(Self.missing)
        #expect(script.advance(.supplied(Script.pending(1))) == "push")
        #expect(script.advance(Self.missing) == "blocked missing-causes")
    }

    @Test(arguments: [
        [:], ["causeReplica": "x", "causeSequence": "4", "causeNext": "3"],
        ["causeReplica": "\(Script.other)", "causeSequence": "4", "causeNext": "5"],
        ["causeReplica": "\(Script.other)", "causeSequence": "4", "causeNext": "0"],
        ["causeReplica": "\(Script.other)", "causeSequence": "9007199254740992", "causeNext": "1"],
    ])
    func `a refusal that names nothing sensible is not believed`(_ details: [String: String]) {
        #expect(
            MissingChangeSets(SyncError(ProtocolError(.missingCauses, "", details: details))) == nil
        )
    }

    @Test func `a rejected set is acknowledged as a void, and the push continues after it`() {
        var script = Script()
        _ = script.begin(Script.state(pending: 2))
        _ = script.advance(Script.page(to: 0))
        _ = script.advance(.loaded(Script.pending(2), Script.state(pending: 2)))
        let sets = Script.sets(2)
        let rejection = SaveRejection(.notAllowed, "No.")
        let void = ChangeSet(voiding: sets[0], for: rejection)
        func taken(_ digest: Digest) -> ScriptedEvent {
            .received(
                PushResponse(
                    acknowledging: [
                        .init(
                            position: 1, dot: void.dot, timestamp: void.timestamp, digest: digest,
                            rejection: rejection),
                        .init(
                            position: 2, dot: sets[1].dot, timestamp: sets[1].timestamp,
                            digest: sets[1].digest),
                    ], of: sets.map { .init($0) }, refusal: nil, headPosition: 2,
                    wallMilliseconds: 5_000
                ).encoded())
        }
        var other = script
        #expect(script.advance(taken(void.digest)) == "acknowledge 2")
        #expect(script.advance(.acknowledged(Script.state())) == "load")
        // The void differs from this one: the pull brings it.
        #expect(other.advance(taken(Digest(of: [1]))) == "acknowledge 2")
        #expect(other.advance(.acknowledged(Script.state())) == "pull")
    }
}
