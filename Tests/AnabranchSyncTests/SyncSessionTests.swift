import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import Testing

@testable import AnabranchSync

struct SyncSessionTests {
    typealias Script = SessionScript

    @Test func `the first exchange says hello, takes the log, sends what waits, and ends`() {
        var script = Script(knowsZone: false)
        #expect(script.begin(Script.state(cursor: nil, pending: 2)) == "hello")
        #expect(script.advance(Script.greeting(head: 1)) == "pull")
        #expect(script.advance(Script.page(to: 1)) == "apply 1 to 1")
        let state = Script.state(cursor: Script.cursor(1), pending: 2)
        #expect(script.advance(.applied(state)) == "load")
        #expect(script.advance(.loaded(Script.pending(2), state)) == "push")
        #expect(script.advance(Script.taken(2, head: 3)) == "acknowledge 2")
        let after = Script.state(cursor: Script.cursor(3))
        #expect(script.advance(.acknowledged(after)) == "load")
        #expect(script.advance(.loaded([], after)) == "caught up")
        #expect(script.session.zone?.clockOffsetMilliseconds == 4_000)
    }

    @Test func `a pull with nothing new is one request of at most 64 bytes`() {
        var script = Script()
        let state = Script.state(cursor: Script.cursor(3))
        #expect(script.begin(state) == "pull")
        #expect(script.body.count <= 64)
        guard case .received(let response) = Script.page(from: 3, to: 3) else { return }
        #expect(response.count <= 64)
        #expect(script.advance(.received(response)) == "load")
        #expect(script.advance(.loaded([], state)) == "caught up")
    }

    @Test func `an empty zone gives the store its first cursor`() {
        var script = Script(knowsZone: false)
        #expect(script.begin(Script.state(cursor: nil)) == "hello")
        #expect(script.advance(Script.greeting()) == "pull")
        #expect(script.advance(Script.page(to: 0)) == "apply 0 to 0")
    }

    @Test func `pages are asked for until the head is reached`() {
        var script = Script()
        #expect(script.begin() == "pull")
        #expect(script.advance(Script.page(to: 2, head: 5)) == "apply 2 to 2")
        #expect(script.advance(.applied(Script.state(cursor: Script.cursor(2)))) == "pull")
        #expect(script.advance(Script.page(from: 2, to: 5)) == "apply 3 to 5")
    }

    @Test func `a page is cut into transactions that each have their own cursor`() {
        var script = Script { $0.transactionBytes = 1 }
        #expect(script.begin() == "pull")
        #expect(script.advance(Script.page(to: 3)) == "apply 1 to 1")
        #expect(script.advance(.applied(Script.state(cursor: Script.cursor(1)))) == "apply 1 to 2")
        #expect(script.advance(.applied(Script.state(cursor: Script.cursor(2)))) == "apply 1 to 3")
        #expect(script.advance(.applied(Script.state(cursor: Script.cursor(3)))) == "load")
    }

    @Test func `the page is requested again if another engine has advanced`() {
        var script = Script()
        #expect(script.begin() == "pull")
        #expect(script.advance(Script.page(to: 2)) == "apply 2 to 2")
        #expect(script.advance(.cursorMoved(Script.state(cursor: Script.cursor(1)))) == "pull")
        #expect(script.advance(Script.page(from: 1, to: 2)) == "apply 1 to 2")
    }

    @Test func `change sets that arrive during the push are pulled, and the exchange ends`() {
        var script = Script()
        _ = script.begin()
        _ = script.advance(Script.page(to: 0))
        #expect(script.advance(.loaded(Script.pending(1), Script.state(pending: 1))) == "push")
        #expect(script.advance(Script.taken(1, head: 2)) == "acknowledge 1")
        #expect(script.advance(.acknowledged(Script.state())) == "load")
        #expect(script.advance(.loaded([], Script.state())) == "pull")
        #expect(script.advance(Script.page(to: 2)) == "apply 2 to 2")
        #expect(script.advance(.applied(Script.state(cursor: Script.cursor(2)))) == "caught up")
    }

    @Test func `a batch is bounded by count and by the bytes that the server takes`() throws {
        var script = Script { $0.batchCount = 2 }
        _ = script.begin()
        _ = script.advance(Script.page(to: 0))
        _ = script.advance(.loaded(Script.pending(5), Script.state(pending: 5)))
        #expect(try PushRequest(decoding: script.body).changeSets.count == 2)
        let size = Script.sets(1)[0].encoded().count
        script = Script { $0.batchBytes = 3 * size }
        _ = script.begin()
        _ = script.advance(Script.page(to: 0))
        _ = script.advance(.loaded(Script.pending(5), Script.state(pending: 5)))
        #expect(try PushRequest(decoding: script.body).changeSets.count == 2)
    }

    @Test func `a store that the zone holds more of than it does itself renews its identity`() {
        var script = Script(knowsZone: false)
        #expect(script.begin(Script.state(lastSequence: 2)) == "hello")
        #expect(script.advance(Script.greeting(lastSequence: 5)) == "renew below 5")
        #expect(script.advance(.renewed) == "pull")
    }

    @Test func `a zone that continues the store's epoch takes it on from its cursor`() throws {
        let later = EpochID(high: 0xE, low: 2)
        var script = Script(knowsZone: false)
        #expect(script.begin(Script.state(cursor: Script.cursor(1))) == "hello")
        #expect(script.advance(Script.greeting(epoch: later, head: 1)) == "record 1 epochs")
        #expect(script.advance(.recorded(Script.state(cursor: Script.cursor(1)))) == "pull")
        let place = Script.cursor(1)
        let renamed = LogCursor(
            epoch: later, position: 1, digestHigh: place.digestHigh, digestLow: place.digestLow)
        let response = PullResponse(
            cursor: renamed, headPosition: 1, wallMilliseconds: 5_000, changeSets: [])
        #expect(script.advance(.received(response.encoded())) == "apply 0 to 1")
        guard case .store(let step as ApplyingPage)? = script.action else {
            Issue.record("the page is not applied")
            return
        }
        let page = step.page
        #expect(page.after == Script.cursor(1))
        #expect(page.cursor == renamed)
    }

    @Test func `a save during a snapshot's transfer is pushed before the snapshot is loaded`() {
        var script = Script(knowsZone: false)
        _ = script.begin(Script.state(cursor: nil))
        #expect(script.advance(Script.greeting(head: 9, start: 5)) == "snapshot")
        #expect(script.advance(Script.chunk(at: 6, head: 9)) == "stage 0 of 2")
        let staged = StagedSnapshot(
            cursor: Script.cursor(6), digest: .zero, chunkCount: 2, held: 2)
        let state = Script.state(cursor: nil, pending: 1, staged: staged)
        #expect(script.advance(.staged(state)) == "load")
        #expect(script.advance(.loaded(Script.pending(1), state)) == "push")
        var refused = script
        #expect(refused.advance(Script.taken(0, refusal: .forbidden)) == "load snapshot, blocked")
        for _ in 1..<script.session.limits.retry.attempts {
            _ = script.advance(Script.refused(.malformedRequest))
            #expect(script.advance(.waited) == "load")
            _ = script.advance(.loaded(Script.pending(1), state))
        }
        #expect(script.advance(Script.refused(.malformedRequest)) == "load snapshot")
        #expect(script.advance(.cursorMoved(state)) == "failed malformed-request")
    }

    @Test func `chunks that the store can't take end the exchange after some attempts`() {
        var script = Script(knowsZone: false)
        _ = script.begin(Script.state(cursor: nil))
        #expect(script.advance(Script.greeting(head: 9, start: 5)) == "snapshot")
        let error = SyncError(.damagedResponse, "It is no chunk.")
        for _ in 1..<script.session.limits.retry.attempts {
            #expect(script.advance(Script.chunk(at: 6, head: 9)) == "stage 0 of 2")
            #expect(script.advance(.storeFailed(error)).hasPrefix("wait"))
            #expect(script.advance(.waited) == "snapshot")
        }
        #expect(script.advance(Script.chunk(at: 6, head: 9)) == "stage 0 of 2")
        #expect(script.advance(.storeFailed(error)) == "failed damaged-response")
    }
}
