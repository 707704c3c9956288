import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Bundles that claim far more than their bytes.
@Suite struct HostileBundleTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("hostile-bundle") }

    /// A bundle with one save of records with columns of nulls.
    private func bundle(records count: UInt64, columns: Int) throws -> String {
        let author = ReplicaID(high: 7, low: 7)
        let properties = (0..<columns).map { WireProperty(name: WireName("p\($0)"), type: .string) }
        let nulls = ValueColumn(repeating: .null, count: Int(count))
        let payload = ChangePayload(blocks: [
            .insert(
                RowBlock(
                    entity: "Note",
                    records: (1...count).map { RecordID(replica: author, number: $0) },
                    properties: properties, columns: properties.map { _ in nulls }))
        ]).encoded(author: author)
        var encoder = BundleEncoder()
        var bytes = encoder.begin(
            BundleHeader(sender: author, wallMilliseconds: 0, heads: []))
        bytes += encoder.append(
            ChangeSet(
                saving: payload, dot: Dot(replica: author, sequence: 1),
                timestamp: HybridTimestamp(rawValue: 1), previousOrigin: .zero, context: .empty))
        bytes += encoder.finish()
        #expect(bytes.count < 70_000)
        let path = folder.file("hostile.bundle")
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// Runs a command and expects that it succeeds with little memory.
    private func expectSmall(_ words: String...) throws {
        let (status, peak) = try ChildProcess(BuiltProducts.executable("anabranch"), words)
            .waitWatchingMemory()
        #expect(status == 0)
        #expect(peak < 150 << 20, "\(words.prefix(2)): \(peak)")
    }

    @Test func `millions of nulls take no memory of the program that checks them`() throws {
        try expectSmall("bundle", "show", bundle(records: 30_000, columns: 550))
    }
}
