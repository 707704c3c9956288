import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import Testing

@testable import AnabranchSync

/// Tests of the action after each failure.
struct SyncSessionRefusalTests {
    typealias Script = SessionScript

    /// Returns a session that has pulled everything and pushes two change sets.
    private static func pushing() -> Script {
        var script = Script()
        _ = script.begin(Script.state(pending: 2))
        _ = script.advance(Script.page(to: 0))
        _ = script.advance(.loaded(Script.pending(2), Script.state(pending: 2)))
        return script
    }

    @Test(arguments: [
        (ProtocolError.Code.forked, "pull"),
        (.clockSkew, "restamp above 305000, offset 4000"),
        (.forbidden, "blocked forbidden"),
        (.unauthorized, "blocked unauthorized"), (.missingCauses, "pull"),
        (.sequenceGap, "pull"), (.timeOrder, "pull"), (.invalidChangeSet, "wait 250"),
        (.overloaded, "wait 250"), (.malformedRequest, "wait 250"), (.unknownEpoch, "hello"),
        (.notFound, "failed not-found"),
    ])
    func `a refused push`(_ code: ProtocolError.Code, leadsTo action: String) {
        var script = Self.pushing()
        #expect(script.advance(Script.taken(0, refusal: code)) == action)
        script = Self.pushing()
        #expect(script.advance(Script.refused(code)) == action)
    }

    @Test(arguments: [
        (ProtocolError.Code.unauthorized, "failed unauthorized"),
        (.forbidden, "failed forbidden"), (.notFound, "failed not-found"),
        (.unknownCursor, "hello"), (.overloaded, "wait 250"), (.internalError, "wait 250"),
        (.unsupportedVersion, "failed unsupported-version"),
        (ProtocolError.Code(rawValue: "of-a-later-server"), "wait 250"),
    ])
    func `a refused pull`(_ code: ProtocolError.Code, leadsTo action: String) {
        var script = Script()
        _ = script.begin()
        #expect(script.advance(Script.refused(code)) == action)
    }

    @Test func `a push that is blocked still pulls what other replicas sent meanwhile`() {
        var script = Self.pushing()
        #expect(script.advance(Script.taken(0, refusal: .forbidden, head: 3)) == "pull")
        #expect(script.advance(Script.page(to: 3)) == "apply 3 to 3")
        let state = Script.state(cursor: Script.cursor(3), pending: 2)
        #expect(script.advance(.applied(state)) == "blocked forbidden")
        guard case .done(let outcome)? = script.ending else { return }
        #expect(outcome.pendingCount > 0)
        #expect(!outcome.isCaughtUp)
    }

    @Test func `the sets before a refused one are acknowledged`() {
        var script = Self.pushing()
        #expect(script.advance(Script.taken(1, refusal: .forbidden)) == "acknowledge 1")
        let state = Script.state(cursor: Script.cursor(1), pending: 1)
        #expect(script.advance(.acknowledged(state)) == "blocked forbidden")
    }

    /// A session does not ask for ever a server that has no more than the store.
    @Test func `a snapshot that says less than is here is asked for a few times`() {
        var script = Script(knowsZone: false)
        _ = script.begin(Script.state(cursor: Script.cursor(2)))
        #expect(script.advance(Script.greeting(head: 9, start: 5)) == "snapshot")
        for _ in 1..<script.session.limits.retry.attempts {
            #expect(script.advance(Script.chunk(at: 1, head: 9)).starts(with: "wait"))
            #expect(script.advance(.waited) == "snapshot")
        }
        #expect(script.advance(Script.chunk(at: 1, head: 9)) == "failed damaged-response")
    }

    @Test func `missing causes are pulled for a few rounds, then the push stops`() {
        var script = Self.pushing()
        for _ in 1..<script.session.limits.rounds {
            #expect(script.advance(Script.taken(0, refusal: .missingCauses)) == "pull")
            #expect(script.advance(Script.page(to: 0)) == "load")
            _ = script.advance(.loaded(Script.pending(2), Script.state(pending: 2)))
        }
        #expect(
            script.advance(Script.taken(0, refusal: .missingCauses)) == "blocked missing-causes")
    }

    /// Each round has brought the push forward, so none of them counts as stuck.
    @Test func `a push that was acknowledged in part has all its rounds again`() {
        var script = Self.pushing()
        for round in 0..<2 * UInt64(script.session.limits.rounds) {
            #expect(script.advance(Script.taken(1, refusal: .forked)) == "acknowledge 1")
            let state = Script.state(pending: 1)
            #expect(script.advance(.acknowledged(state)) == "pull", "round \(round)")
            #expect(script.advance(Script.page(to: 0)) == "load")
            _ = script.advance(.loaded(Script.pending(2), Script.state(pending: 2)))
        }
    }

    @Test func `a lost answer is waited for with growing delays, then the exchange ends`() {
        var script = Script()
        var actions = [script.begin()]
        for _ in 1...5 {
            actions.append(script.advance(.failed(SyncError(.unreachable, "Gone."))))
            guard actions.last?.hasPrefix("wait") == true else { break }
            actions.append(script.advance(.waited))
        }
        #expect(
            actions
                == [
                    "pull", "wait 250", "pull", "wait 500", "pull", "wait 1000", "pull",
                    "wait 2000",
                    "pull", "failed unreachable",
                ].map { $0 })
    }

    @Test func `a time-out halves what is asked for next`() throws {
        var script = Script()
        _ = script.begin()
        let whole = try PullRequest(decoding: script.body).byteLimit
        _ = script.advance(.failed(SyncError(.timedOut, "Slow.")))
        _ = script.advance(.waited)
        #expect(try PullRequest(decoding: script.body).byteLimit == whole / 2)
    }

    @Test func `a push after a lost answer loads what waits now`() {
        var script = Self.pushing()
        #expect(script.advance(.failed(SyncError(.unreachable, "Gone."))) == "wait 250")
        #expect(script.advance(.waited) == "load")
    }

    @Test func `the server's wish to be left alone is granted`() {
        var script = Script()
        _ = script.begin()
        let refusal = ProtocolError(.overloaded, "Later.")
        #expect(script.advance(.refused(refusal, retryAfter: .seconds(7))) == "wait 7250")
    }

    @Test func `too many requests are waited for as long as the server says, and no save is lost`()
    {
        var script = Self.pushing()
        let refusal = ProtocolError(
            .tooManyRequests, "Slowly.", details: [ProtocolError.retryAfterDetail: "40"])
        #expect(script.advance(.refused(refusal, retryAfter: .seconds(40))) == "wait 40250")
        #expect(script.advance(.waited) == "load")
    }

    @Test func `a log that shares nothing with the store's ends the exchange for good`() {
        var script = Script()
        let other = EpochID(high: 0xF, low: 9)
        _ = script.begin(Script.state(cursor: Script.cursor(1)))
        #expect(script.advance(Script.refused(.unknownCursor)) == "hello")
        let greeting = Script.greeting(epoch: other, head: 5, knowsCursor: false)
        #expect(script.advance(greeting) == "cursor at 1")
        let cursor = LogCursor(epoch: other, position: 1, digestHigh: 1, digestLow: 1)
        #expect(script.advance(.cursor(cursor)) == "hello")
        #expect(script.advance(greeting) == "failed unknown-cursor")
        #expect(script.begin(Script.state(cursor: Script.cursor(1))) == "hello")
    }

    @Test func `the last position shared with a log that went back is found by bisection`() {
        var script = Script()
        let later = EpochID(high: 0xF, low: 9)
        func cursor(_ position: UInt64) -> ScriptedEvent {
            .cursor(
                LogCursor(epoch: later, position: position, digestHigh: position, digestLow: 1))
        }
        func greeting(knowing: Bool) -> ScriptedEvent {
            Script.greeting(epoch: later, earlier: [Script.epoch], head: 40, knowsCursor: knowing)
        }
        _ = script.begin(Script.state(cursor: Script.cursor(9)))
        #expect(script.advance(Script.refused(.unknownCursor)) == "hello")
        #expect(script.advance(greeting(knowing: false)) == "cursor at 4")
        #expect(script.advance(cursor(4)) == "hello")
        #expect(script.advance(greeting(knowing: true)) == "cursor at 6")
        #expect(script.advance(cursor(6)) == "hello")
        #expect(script.advance(greeting(knowing: false)) == "cursor at 5")
        #expect(script.advance(cursor(5)) == "hello")
        #expect(script.advance(greeting(knowing: true)) == "rewind to 5")
        let state = Script.state(
            cursor: LogCursor(epoch: later, position: 5, digestHigh: 5, digestLow: 1))
        #expect(script.advance(.rewound(state, keptCopy: nil)) == "hello")
        #expect(script.advance(greeting(knowing: true)) == "record 2 epochs")
        #expect(script.advance(.recorded(state)) == "pull")
    }

    @Test func `a store that is busy during the search begins it anew`() {
        var script = Script()
        _ = script.begin(Script.state(cursor: Script.cursor(9)))
        _ = script.advance(Script.refused(.unknownCursor))
        let greeting = Script.greeting(head: 6, knowsCursor: false)
        #expect(script.advance(greeting) == "cursor at 6")
        #expect(script.advance(.storeFailed(SyncError(.storeBusy, "Busy."))) == "wait 250")
        #expect(script.advance(.waited) == "hello")
        #expect(script.advance(greeting) == "cursor at 6")
    }

    @Test func `a backup that is a beginning of the log is found at once`() {
        var script = Script()
        _ = script.begin(Script.state(cursor: Script.cursor(9)))
        _ = script.advance(Script.refused(.unknownCursor))
        #expect(
            script.advance(Script.greeting(head: 6, knowsCursor: false)) == "cursor at 6")
        _ = script.advance(
            .cursor(
                LogCursor(epoch: Script.epoch, position: 6, digestHigh: 6, digestLow: 1)))
        #expect(script.advance(Script.greeting(head: 6)) == "rewind to 6")
    }

    @Test func `lost hellos do not use up the patience with a zone that begins a new epoch`() {
        var script = Script(knowsZone: false)
        #expect(script.begin() == "hello")
        for _ in 1..<script.session.limits.retry.attempts {
            #expect(script.advance(.failed(SyncError(.unreachable, "Gone."))).hasPrefix("wait"))
            #expect(script.advance(.waited) == "hello")
        }
        #expect(script.advance(Script.greeting()) == "pull")
        #expect(script.advance(Script.refused(.unknownEpoch)) == "hello")
    }

    @Test(arguments: Restore.allCases)
    func `a zone that is restored again and again is greeted each time`(_ restore: Restore) {
        var script = Script(knowsZone: false)
        _ = script.begin()
        for number in 1..<UInt64(script.session.limits.remedies) {
            let epoch = EpochID(high: 0xE, low: number)
            let greeted = script.advance(Script.greeting(epoch: epoch))
            if epoch != Script.epoch {
                #expect(greeted == "record 1 epochs")
                #expect(script.advance(.recorded(Script.state())) == "pull")
            } else {
                #expect(greeted == "pull")
            }
            // The page is of the epoch that the next restore began.
            let next = script.advance(restore.event(to: EpochID(high: 0xE, low: number + 1)))
            guard number >= UInt64(script.session.limits.retry.attempts) else {
                #expect(next == "hello")
                continue
            }
            #expect(next.hasPrefix("wait"), "a client does not hurry a zone that changes so often")
            #expect(script.advance(.waited) == "hello")
        }
    }

    /// A restore between the request and its answer, in each of the two ways in which a client
    /// learns of it.
    enum Restore: CaseIterable, Sendable { case refusal, page }

    @Test(arguments: Restore.allCases)
    func `an answer of another epoch is followed by a hello`(_ restore: Restore) {
        var script = Script()
        #expect(script.begin() == "pull")
        let later = EpochID(high: 0xF, low: 9)
        #expect(script.advance(restore.event(to: later)) == "hello")
        #expect(
            script.advance(Script.greeting(epoch: later, earlier: [Script.epoch]))
                == "record 2 epochs")
        let state = Script.state(epochs: [Script.epoch, later])
        #expect(script.advance(.recorded(state)) == "pull")
        #expect(script.advance(restore.event(to: Script.epoch)) == "hello")
    }

    @Test func `a zone that never keeps an epoch is given up`() {
        var script = Script(knowsZone: false)
        _ = script.begin()
        for _ in 1..<script.session.limits.remedies {
            #expect(script.advance(Script.greeting()) == "pull")
            let next = script.advance(Script.refused(.unknownEpoch))
            #expect(next == "hello" || next.hasPrefix("wait") && script.advance(.waited) == "hello")
        }
        #expect(script.advance(Script.greeting()) == "pull")
        #expect(script.advance(Script.refused(.unknownEpoch)) == "failed unknown-epoch")
    }

    @Test func `a cursor that the zone never knows is asked about a few times`() {
        var script = Script(knowsZone: false)
        _ = script.begin()
        for _ in 1..<script.session.limits.retry.attempts {
            #expect(script.advance(Script.greeting()) == "pull")
            #expect(script.advance(Script.refused(.unknownCursor)) == "hello")
        }
        #expect(script.advance(Script.greeting()) == "pull")
        #expect(script.advance(Script.refused(.unknownCursor)) == "failed unknown-cursor")
    }

    /// Takes the session from its first page to the snapshot that takes the place of the log.
    private func fallBack(_ script: inout Script, from first: String) {
        #expect(first == "want snapshot")
        #expect(script.advance(.recorded(Script.state(wantsSnapshot: true))) == "hello")
        #expect(script.advance(Script.greeting(head: 1)) == "snapshot")
    }

    @Test func `a page that can't be applied gives way to a snapshot, which says why`() {
        var script = Script()
        #expect(script.begin() == "pull")
        #expect(script.advance(Script.page(to: 1)) == "apply 1 to 1")
        let error = SyncError(.damagedResponse, "It names another predecessor.")
        for _ in 1..<script.session.limits.retry.attempts {
            #expect(script.advance(.storeFailed(error)).hasPrefix("wait"))
            #expect(script.advance(.waited) == "pull")
            #expect(script.advance(Script.page(to: 1)) == "apply 1 to 1")
        }
        fallBack(&script, from: script.advance(.storeFailed(error)))
        #expect(script.advance(Script.chunk(at: 1, head: 1)) == "stage 0 of 2")
        #expect(script.advance(.staged(Script.whole(at: 1))) == "load snapshot")
        let loaded = Script.state(cursor: Script.cursor(1))
        #expect(script.advance(.applied(loaded)) == "pull")
        #expect(script.advance(Script.page(from: 1, to: 1)) == "load")
        #expect(script.advance(.loaded([], loaded)) == "caught up")
        guard case .done(let outcome)? = script.ending else { return }
        #expect(outcome.snapshotReason?.code == .damagedResponse)
    }

    @Test func `a fork in a page gives way to a snapshot once, then the exchange says so`() {
        var script = Script()
        _ = script.begin()
        _ = script.advance(Script.page(to: 1))
        let error = SyncError(.forked, "Two.")
        fallBack(&script, from: script.advance(.storeFailed(error)))
        _ = script.advance(Script.chunk(at: 1, head: 2))
        #expect(script.advance(.staged(Script.whole(at: 1))) == "load snapshot")
        #expect(script.advance(.applied(Script.state(cursor: Script.cursor(1)))) == "pull")
        #expect(script.advance(Script.page(from: 1, to: 2)) == "apply 1 to 2")
        #expect(script.advance(.storeFailed(error)) == "failed unusable-log")
    }

    /// A page of the log whose last change set is damaged in a given byte.
    private func damagedPage(at index: Int) -> ScriptedEvent {
        var sets = Script.sets(2, by: Script.other).map { $0.encoded() }
        sets[1][index] ^= 0xFF
        return .received(
            PullResponse(
                cursor: Script.cursor(2), headPosition: 2, wallMilliseconds: 5_000,
                changeSets: sets
            ).encoded())
    }

    @Test func `a page that can't be read gives way to a snapshot once it came often enough`() {
        var script = Script()
        #expect(script.begin() == "pull")
        for _ in 1..<script.session.limits.retry.attempts {
            #expect(script.advance(damagedPage(at: 40)).hasPrefix("wait"))
            #expect(script.advance(.waited) == "pull")
        }
        fallBack(&script, from: script.advance(damagedPage(at: 40)))
        _ = script.advance(Script.chunk(at: 1, head: 2))
        #expect(script.advance(.staged(Script.whole(at: 1))) == "load snapshot")
        #expect(script.advance(.applied(Script.state(cursor: Script.cursor(1)))) == "pull")
        for _ in 1..<script.session.limits.retry.attempts {
            #expect(script.advance(damagedPage(at: 40)).hasPrefix("wait"))
            #expect(script.advance(.waited) == "pull")
        }
        #expect(script.advance(damagedPage(at: 40)) == "failed unusable-log")
    }

    /// A bad connection damages another place each time, and a snapshot would not help.
    @Test func `pages that are damaged in different places are no reason for a snapshot`() {
        var script = Script()
        #expect(script.begin() == "pull")
        let attempts = script.session.limits.retry.attempts
        for number in 1..<attempts {
            let event =
                number % 2 == 0
                ? damagedPage(at: 40) : .failed(SyncError(.damagedResponse, "It is no page."))
            #expect(script.advance(event).hasPrefix("wait"))
            #expect(script.advance(.waited) == "pull")
        }
        #expect(script.advance(damagedPage(at: 40)) == "failed damaged-response")
    }

    /// A snapshot would have the same time. Only a clock can be set.
    @Test func `a page with a time that no clock shows ends the exchange at once`() {
        var script = Script()
        #expect(script.begin() == "pull")
        #expect(script.advance(Script.page(to: 1)) == "apply 1 to 1")
        #expect(
            script.advance(.storeFailed(SyncError(.clockSkew, "Set the clock.")))
                == "failed clock-skew")
    }

    @Test func `a busy store is asked again`() {
        var script = Script()
        _ = script.begin()
        _ = script.advance(Script.page(to: 1))
        #expect(script.advance(.storeFailed(SyncError(.storeBusy, "Busy."))) == "wait 250")
        #expect(script.advance(.waited) == "pull")
    }

    @Test func `a damaged page is never applied`() throws {
        guard case .received(let whole) = Script.page(to: 2) else { return }
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x10
            var script = Script()
            _ = script.begin()
            let action = script.advance(.received(bytes))
            // The first byte is the protocol's version: another value is that of a newer server.
            let expected = index == 0 ? "failed unsupported-version" : "wait 250"
            #expect(action == expected, "byte \(index): \(action)")
        }
    }

    @Test(arguments: ["left out", "doubled", "swapped", "of another log"])
    func `a whole message with the wrong sets is not applied`(_ damage: String) throws {
        var sets = Script.sets(3, by: Script.other).map { $0.encoded() }
        switch damage {
        case "left out": sets.remove(at: 1)
        case "doubled": sets.insert(sets[1], at: 1)
        case "swapped": sets.swapAt(1, 2)
        default: sets[2] = Script.sets(1, by: Script.me)[0].encoded()
        }
        let response = PullResponse(
            cursor: Script.cursor(3), headPosition: 3, wallMilliseconds: 0, changeSets: sets)
        var script = Script()
        _ = script.begin()
        #expect(script.advance(.received(response.encoded())) == "wait 250")
    }

    /// The zone says that it has the second change set as it was sent, or in another form.
    @Test(arguments: [0, 1])
    func `an acknowledgement in another set's place is not believed`(first: Int) {
        var script = Self.pushing()
        let second = Script.sets(2)[1]
        let sent = [Script.sets(2)[1 - first]]
        let response = PushResponse(
            acknowledging: [
                .init(
                    position: 1, dot: second.dot, timestamp: second.timestamp,
                    digest: second.digest)
            ], of: sent.map { .init($0) }, refusal: ProtocolError(.forked, "No."), headPosition: 1,
            wallMilliseconds: 0)
        #expect(script.advance(.received(response.encoded())) == "wait 250")
    }

    /// If a request arrives with one change set missing or doubled, each later change set gets its
    /// neighbour's answer.
    @Test func `a name that belongs to another save is not believed`() {
        let sets = Script.sets(2)
        let branch = ReplicaID(high: 9, low: 9)
        func answer(_ shift: Int) -> PushResponse {
            let taken = (0..<2).map { index in
                PushResponse.Acknowledgement(
                    position: UInt64(index + 1),
                    dot: Dot(replica: branch, sequence: UInt64(index + 1)),
                    timestamp: sets[index].timestamp, digest: sets[index].digest,
                    originPrefix: sets[max(index - shift, 0)].origin.prefix)
            }
            return PushResponse(
                acknowledging: taken, of: sets.map { .init($0) }, refusal: nil, headPosition: 2,
                wallMilliseconds: 0)
        }
        for (shift, action) in [(0, "acknowledge 2"), (1, "wait 250")] {
            var script = Self.pushing()
            #expect(script.advance(.received(answer(shift).encoded())) == action)
        }
    }

    @Test func `a set that no form makes small enough is named and stays`() {
        var script = Script(knowsZone: false)
        _ = script.begin(Script.state(pending: 1))
        let greeting = HelloResponse(
            epoch: Script.epoch, headPosition: 0, isCursorKnown: true, lastSequence: 0,
            origin: nil, wallMilliseconds: 0, largestBody: 100)
        _ = script.advance(.received(greeting.encoded()))
        _ = script.advance(Script.page(to: 0))
        #expect(
            script.advance(.loaded(Script.pending(1), Script.state(pending: 1)))
                == "divide 1 to 31")
        #expect(script.advance(.rewritten(nil)) == "blocked body-too-large")
    }
}

extension SyncSessionRefusalTests.Restore {
    /// The answer of a zone that has begun another epoch since its hello.
    func event(to epoch: EpochID) -> ScriptedEvent {
        switch self {
        case .refusal: SessionScript.refused(.unknownEpoch)
        case .page:
            .received(
                PullResponse(
                    cursor: LogCursor(startOf: epoch), headPosition: 0, wallMilliseconds: 5_000,
                    changeSets: []
                ).encoded())
        }
    }
}
