import Foundation
import Testing

@testable import AnabranchSync

/// How long the event stream of libcurl lives, against the real server over a real socket.
struct EventSilenceTests {
    /// The server's interval and the client's limit as they are by default: 20 and 60 seconds.
    private static let interval = Duration.seconds(20)
    private static let limit = SyncOptions().eventSilence

    /// A heartbeat is three bytes. A sixth of the interval makes 0.9 bytes a second, which a limit
    /// of one byte a second still ends, as it ends those of the default interval.
    /// `ANABRANCH_MEASURE=1` also holds a stream for three limits of 60 seconds.
    private static var divisors: [Double] {
        ProcessInfo.processInfo.environment["ANABRANCH_MEASURE"] == nil ? [6] : [6, 1]
    }

    private static func transport(
        to server: URL, token: String?, silence: Duration
    ) throws -> CurlTransport {
        let address = try ServerAddress(
            server: server, zone: "test", token: token, allowingPlainHTTP: false)
        var options = SyncOptions()
        options.eventSilence = silence
        return try CurlTransport(address, options: options)
    }

    @Test(.timeLimit(.minutes(10)), arguments: divisors)
    func `heartbeats hold an idle stream for three times the silence that ends it`(
        _ divisor: Double
    ) async throws {
        let silence = Self.limit / divisor
        let server = try LoopbackServer(heartbeat: Self.interval / divisor)
        let transport = try Self.transport(to: server.url, token: server.token, silence: silence)
        let start = ContinuousClock.now
        var heartbeats = 0
        for try await event in transport.events() {
            if event == .heartbeat { heartbeats += 1 }
            // A busy machine sends them late.
            if start.duration(to: .now) > silence * 3, heartbeats >= 5 { break }
        }
        #expect(start.duration(to: .now) > silence * 3, "the stream ended")
        #expect(heartbeats >= 5)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a stream on which nothing arrives is given up after the limit`() async throws {
        let silence = Duration.milliseconds(600)
        // The head arrives, then nothing until long after the test.
        let server = try LoopbackServer(heartbeat: .seconds(3600))
        let transport = try Self.transport(to: server.url, token: server.token, silence: silence)
        let start = ContinuousClock.now
        var events: [ZoneEvent] = []
        let error = await #expect(throws: SyncError.self) {
            for try await event in transport.events() { events.append(event) }
        }
        #expect(error?.code == .timedOut)
        #expect(events.first == .opened)
        #expect(start.duration(to: .now) >= silence)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a server that takes the connection and says nothing is given up, too`() async throws {
        let server = try SilentServer()
        let transport = try Self.transport(
            to: server.url, token: nil, silence: .milliseconds(600))
        let error = await #expect(throws: SyncError.self) {
            for try await _ in transport.events() {}
        }
        #expect(error?.code == .timedOut)
    }
}
