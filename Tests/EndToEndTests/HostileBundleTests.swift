import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Bundles that claim far more than their bytes.
@Suite(.waiting) struct HostileBundleTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("hostile-bundle") }

    /// A bundle with one save of records with columns of nulls.
    private func bundle(records count: UInt64, columns: Int) throws -> String {
        let author = ReplicaID(high: 7, low: 7)
        let properties = (0..<columns).map { WireProperty(name: WireName("p\($0)"), type: .string) }
        let nulls = ValueColumn(repeatElement(.null, count: Int(count)))
        let payload = ChangePayload(blocks: [
            .insert(
                RowBlock(
                    entity: "Note",
                    records: (1...count).map { RecordID(replica: author, number: $0) },
                    properties: properties, columns: properties.map { _ in nulls }))
        ]).encoded(author: author)
        let save = ChangeSet(
            saving: payload, dot: Dot(replica: author, sequence: 1),
            timestamp: HybridTimestamp(rawValue: 1), previousOrigin: .zero, context: .empty)
        return try bundle([save], byteLimit: 70_000)
    }

    /// A bundle of empty saves whose author has seen a save of each of many replicas.
    private func bundle(saves count: UInt64, seeing replicas: UInt64) throws -> String {
        let author = ReplicaID(high: 7, low: 7)
        let context = CausalContext(
            beyond: (1...replicas).map {
                let dot = Dot(replica: ReplicaID(high: 8, low: $0), sequence: 1)
                return CausalContext.Entry(dot: dot, originPrefix: $0)
            })
        let payload = ChangePayload(blocks: []).encoded(author: author)
        var origin = Digest.zero
        let saves = (1...count).map { sequence in
            let save = ChangeSet(
                saving: payload, dot: Dot(replica: author, sequence: sequence),
                timestamp: HybridTimestamp(rawValue: sequence), previousOrigin: origin,
                context: context)
            origin = save.origin
            return save
        }
        return try bundle(saves, byteLimit: 300_000)
    }

    private func bundle(_ saves: [ChangeSet], byteLimit: Int) throws -> String {
        var encoder = BundleEncoder()
        let sender = ReplicaID(high: 7, low: 7)
        var bytes = encoder.begin(BundleHeader(sender: sender, wallMilliseconds: 0, heads: []))
        for save in saves { bytes += encoder.append(save) }
        bytes += encoder.finish()
        #expect(bytes.count < byteLimit)
        let path = folder.file("hostile.bundle")
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// Runs a command that succeeds.
    ///
    /// - Returns: The greatest memory that it had, in bytes.
    private func peak(_ words: String...) throws -> Int {
        let (status, peak) = try ChildProcess(BuiltProducts.executable("anabranch"), words)
            .waitWatchingMemory()
        #expect(status == 0)
        return peak
    }

    @Test func `millions of nulls take no memory of the program that checks them`() throws {
        #expect(try peak("bundle", "show", bundle(records: 30_000, columns: 550)) < 150 << 20)
    }

    /// Creates a store.
    private func store(_ name: String) throws -> String {
        let model = folder.file("Notes.xcdatamodel")
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
        let text = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Note">
            <attribute name="text" optional="YES" attributeType="String"/></entity></model>
            """
        try Data(text.utf8).write(to: URL(filePath: model + "/contents"))
        let store = folder.file(name)
        _ = try peak("init", store, "--model", model)
        return store
    }

    @Test(.long)
    func `columns of nulls are applied in level memory, however many there are`() throws {
        let peaks = try ([10_000, 40_000] as [UInt64]).map { count in
            try peak(
                "bundle", "apply", store("\(count).store"), bundle(records: count, columns: 100))
        }
        #expect(peaks[1] < peaks[0] + 20 << 20, "\(peaks)")
    }

    @Test func `saves that each have seen many replicas are applied in little memory`() throws {
        let peaks = try ([1, 300] as [UInt64]).map { count in
            try peak(
                "bundle", "apply", store("\(count).store"), bundle(saves: count, seeing: 10_000))
        }
        #expect(peaks[1] < peaks[0] + 60 << 20, "\(peaks)")
    }

    @Test func `saves that wait take no more of the disk than is allowed`() throws {
        let store = try store("waiting.store")
        let log = URL(filePath: folder.file("apply.log"))
        let bundle = try bundle(saves: 450, seeing: 10_000)
        let apply = try ChildProcess(
            BuiltProducts.executable("anabranch"), ["bundle", "apply", store, bundle], log: log)
        #expect(apply.waitWatchingMemory().status != 0)
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(text.contains("First import the bundles that have those"), "\(text)")
        let size = try FileManager.default.attributesOfItem(atPath: store)[.size] as? Int
        #expect(try #require(size) < 150 << 20)
    }
}
