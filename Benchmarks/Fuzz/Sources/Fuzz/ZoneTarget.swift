import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import Foundation

extension FuzzTarget {
    /// Damage to a zone's file, to which every request that reads is sent. A request fails, or it
    /// answers.
    static let zone = FuzzTarget(name: "zone") { bytes in
        do {
            try sample.damaged(by: bytes) { store, name in
                try store.withZone(name) { read($0) }
            }
        } catch {
            // The file can't be opened, which is an answer too.
        }
    }

    private static let sample: SampleZone = {
        do {
            return try SampleZone(path: "zones/sample.sqlite")
        } catch {
            preconditionFailure("The sample of a zone can't be read: \(error)")
        }
    }()

    private static func read(_ zone: ZoneService) {
        let author = ReplicaID(high: 1, low: 2)
        _ = try? zone.hello(
            HelloRequest(replica: author, last: nil, cursor: nil, wallMilliseconds: 0))
        _ = try? zone.pull(PullRequest(cursor: nil, byteLimit: 1 << 20))
        if let epoch = try? zone.head().epoch {
            _ = try? zone.checksums(ChecksumsRequest(epoch: epoch, ranges: [.all]))
        }
        _ = try? zone.amounts()
        _ = try? zone.information()
        _ = try? zone.canonicalHash()
        _ = try? zone.snapshot(SnapshotRequest())
        _ = try? zone.compact(keeping: 1)
        _ = try? zone.verify(repairing: true)
    }
}

/// A zone's file that is copied for each input.
private struct SampleZone {
    private let whole: Data
    private let directory: URL

    init(path: String) throws {
        whole = try Data(contentsOf: URL(filePath: path))
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("anabranch-fuzz-\(getpid())", isDirectory: true)
    }

    /// Writes the file with damage, and opens the store that contains it.
    ///
    /// - Parameter bytes: For each damaged byte three bytes of its place and one of its value.
    func damaged(by bytes: [UInt8], _ body: (ZoneStore, ZoneName) throws -> Void) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let zones = directory.appendingPathComponent("zones", isDirectory: true)
        try FileManager.default.createDirectory(at: zones, withIntermediateDirectories: true)
        var content = whole
        for start in stride(from: 0, to: bytes.count - bytes.count % 4, by: 4) {
            let place = bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
            content[place % content.count] = bytes[start + 3]
        }
        try content.write(to: zones.appendingPathComponent("sample.sqlite"))
        let store = try ZoneStore(StoreLocation("sqlite:" + directory.path))
        defer { store.close() }
        try body(store, ZoneName("sample"))
    }
}
