import Foundation
import TestSupport

/// A client that saves in a zone of its own and notes when the zone has each save, so that a gap of
/// service shows.
final class ServiceProbe {
    private let client: ClientUnderTest
    private let times: String

    init(_ place: ClientUnderTest.ZonePlace, in guarded: GuardedFolder, seed: UInt64) throws {
        client = ClientUnderTest(unborn: "probe", of: place, in: guarded.folder)
        times = guarded.folder.file("probe-times")
        try client.start(seed: seed, [times])
        try guarded.note(client.identifier, as: "probe")
    }

    /// The times of the saves that the zone has, in milliseconds since 1970.
    private func savedTimes() throws -> [Int64] {
        let text = (try? String(contentsOfFile: times, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .compactMap { Int64($0) }
    }

    /// The longest time without a save that reached the zone, in seconds.
    ///
    /// - Parameter start: Times before this one do not count.
    func longestGap(since start: Date, until end: Date = Date()) throws -> Double {
        let limits = [start, end].map { Int64($0.timeIntervalSince1970 * 1000) }
        let inside = try savedTimes().filter { (limits[0]...limits[1]).contains($0) }
        let points = [limits[0]] + inside + [limits[1]]
        let gaps = zip(points.dropFirst(), points).map { $0 - $1 }
        return Double(gaps.max() ?? 0) / 1000
    }

    func savedCount() throws -> Int { try savedTimes().count }

    func kill() { client.kill() }
}
