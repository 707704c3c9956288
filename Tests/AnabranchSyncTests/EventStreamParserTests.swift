import AnabranchReplication
import Testing

@testable import AnabranchSync

struct EventStreamParserTests {
    private static let start = ContinuousClock().now
    private static let epoch = EpochID(high: 1, low: 2)
    private static let head = "event: head\ndata: {\"epoch\":\"\(epoch)\",\"position\":7}\n\n"

    @Test func `events come out however the bytes are cut`() throws {
        let text = Self.head + ":\n" + Self.head.replacing("\n", with: "\r\n")
        let bytes = Array(text.utf8)
        let expected: [ZoneEvent] = [
            .head(epoch: Self.epoch, position: 7), .heartbeat,
            .head(epoch: Self.epoch, position: 7),
        ]
        for size in [1, 2, 3, 7, bytes.count] {
            var parser = EventStreamParser(asOf: Self.start)
            var events: [ZoneEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let part = bytes[start..<min(start + size, bytes.count)]
                events += try parser.consume(part, at: Self.start)
            }
            #expect(events == expected)
        }
    }

    @Test func `any byte ends the silence, also half a heartbeat`() throws {
        var parser = EventStreamParser(asOf: Self.start)
        #expect(parser.silence(asOf: Self.start + .seconds(7)) == .seconds(7))
        for (second, bytes) in [(20, "e"), (40, ":\n\n"), (60, ""), (80, "\n")] {
            let now = Self.start + .seconds(second)
            _ = try parser.consume(bytes.utf8, at: now)
            #expect(parser.silence(asOf: now) == .zero)
            #expect(parser.silence(asOf: now + .seconds(20)) == .seconds(20))
        }
    }

    @Test func `unknown events and fields are passed over`() throws {
        var parser = EventStreamParser(asOf: Self.start)
        let text = "id: 4\nretry: 5\nevent: later\ndata: anything\n\n" + Self.head
        #expect(
            try parser.consume(text.utf8, at: Self.start) == [.head(epoch: Self.epoch, position: 7)]
        )
    }

    @Test(arguments: [
        "event: head\ndata: {}\n\n", "event: head\ndata: [\n\n",
        "event: head\ndata: {\"epoch\":\"xyz\",\"position\":1}\n\n",
        "event: head\ndata: {\"epoch\":\"\",\"position\":-1}\n\n",
    ])
    func `damaged data is an error`(_ text: String) {
        var parser = EventStreamParser(asOf: Self.start)
        #expect(throws: SyncError.self) { try parser.consume(text.utf8, at: Self.start) }
    }

    @Test func `a line without end is refused before it fills the memory`() {
        var parser = EventStreamParser(asOf: Self.start)
        let flood = [UInt8](repeating: 65, count: EventStreamParser.longestLine + 1)
        #expect(throws: SyncError.self) { try parser.consume(flood, at: Self.start) }
    }
}
