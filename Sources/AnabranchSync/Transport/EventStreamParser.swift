internal import AnabranchReplication

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Reads the zone's events from the bytes of a `text/event-stream`.
///
/// Lines end with LF, CRLF or CR. A line that begins with a colon is a comment, here a heartbeat.
/// An empty line ends an event. Events with unknown names, which a later server may send, are
/// ignored.
///
/// The parser also measures the silence of the stream: the time since the last byte arrived. A
/// limit on the average speed would end an intact stream, because a heartbeat is only three bytes
/// every 20 seconds.
///
/// Source: WHATWG HTML, "Server-sent events", 9.2.6.
struct EventStreamParser {
    /// The greatest length of a line. A server that sends a longer one is no sync server.
    static let longestLine = 64 << 10

    /// The time at which bytes or the head of the response last arrived. Before that, it is the
    /// time of the request.
    private var lastArrival: ContinuousClock.Instant
    private var line: [UInt8] = []
    private var hasSeenReturn = false
    private var name = ""
    private var data = ""

    /// Prepares for a stream that is about to be requested.
    ///
    /// - Parameter now: The time from which the silence counts until the first byte arrives.
    init(asOf now: ContinuousClock.Instant) { lastArrival = now }

    /// The time since the last byte arrived.
    func silence(asOf now: ContinuousClock.Instant) -> Duration { lastArrival.duration(to: now) }

    /// Reads the bytes that have arrived, which end the stream's silence.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes. They are empty if only the head of the response has arrived.
    ///   - now: The time at which they arrived.
    /// - Returns: The events that the bytes completed.
    /// - Throws: `SyncError` with code `damagedResponse` if a line is too long or an event's data
    ///   is malformed.
    mutating func consume(
        _ bytes: some Sequence<UInt8>, at now: ContinuousClock.Instant
    ) throws(SyncError) -> [ZoneEvent] {
        lastArrival = now
        var events: [ZoneEvent] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n") where hasSeenReturn: hasSeenReturn = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                hasSeenReturn = byte == UInt8(ascii: "\r")
                if let event = try endLine() { events.append(event) }
            default:
                hasSeenReturn = false
                guard line.count < Self.longestLine else {
                    throw Self.damaged("a line is too long")
                }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() throws(SyncError) -> ZoneEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        guard let first = line.first else { return try endEvent() }
        guard first != UInt8(ascii: ":") else { return .heartbeat }
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
        guard let field = parts.first else { return nil }
        var value = parts.count > 1 ? parts[1] : []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: field, as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data": data += (data.isEmpty ? "" : "\n") + String(decoding: value, as: UTF8.self)
        default: break
        }
        return nil
    }

    private mutating func endEvent() throws(SyncError) -> ZoneEvent? {
        defer { (name, data) = ("", "") }
        guard name == "head", !data.isEmpty else { return nil }
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(data.utf8)),
            let epoch = EpochID(head.epoch)
        else { throw Self.damaged("the data of an event is malformed") }
        return .head(epoch: epoch, position: head.position)
    }

    private struct Head: Decodable {
        var epoch: String
        var position: UInt64
    }

    private static func damaged(_ cause: String) -> SyncError {
        SyncError(.damagedResponse, "Can't follow the zone's events because \(cause).")
    }
}
