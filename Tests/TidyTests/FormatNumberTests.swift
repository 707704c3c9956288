import AnabranchModel
import AnabranchProtocol
import AnabranchSQLite
import AnabranchStore
import Foundation
import Testing

@testable import AnabranchReplication
@testable import AnabranchServer

/// Compares the numbers of formats in the documents with those of the sources.
@Suite struct FormatNumberTests {
    private static let numbers: [String: String] = [
        "change set": "\(ChangeSet.version)",
        "payload, and part of a save": "\(ChangePayload.version)",
        "list of parts": "\(PartList.version)",
        "snapshot chunk": "\(SnapshotChunk.version)",
        "snapshot piece": "\(SnapshotPiece.version)",
        "bundle": "\(BundleHeader.version)",
        "bundle with parts of saves": "\(BundleHeader.versionWithParts)",
        "sealed bundle": "\(SealedBundleHeader.version)",
        "model": "\(ModelEncoding.version)",
        "store": "\(StoreFormat.version)",
        "message of the protocol": "\(SyncProtocol.version)",
    ]

    /// The numbers of the formats that a release is made of, as the change log groups them.
    private static let released: [String: [Int]] = [
        "change set": [Int(ChangeSet.version)],
        "store file": [Int(StoreFormat.version)],
        "model, canonical encoding": [Int(ModelEncoding.version)],
        "chunk of a snapshot": [Int(SnapshotChunk.version), Int(SnapshotPiece.version)],
        "snapshot file of a zone": [Int(SQLiteSnapshotStorage.tables.latest)],
        "bundle": [Int(BundleHeader.version), Int(BundleHeader.versionWithParts)],
        "sealed bundle, key ring": [Int(SealedBundleHeader.version)],
        "sync protocol": [Int(SyncProtocol.version)],
        "zone file": [Int(ZoneSchema.tables.latest)],
        "token file of a server": [Int(SQLiteTokenStore.tables.latest)],
    ]

    private func text(of document: String) throws -> String {
        let root = try SourceTree.packageRoot.get()
        return try String(contentsOf: root.appending(path: document), encoding: .utf8)
    }

    @Test func `the change log has the numbers of the sources`() throws {
        let list = try #require(try text(of: "CHANGELOG.md").split(separator: "\n### Formats").last)
        var listed: [String: [Int]] = [:]
        for row in list.matches(of: /\n\| (.+?) \| (\d.*?) \|/) {
            listed[String(row.1)] = row.2.split(separator: "; ").compactMap { clause in
                clause.prefixMatch(of: /(\d+)\b/).flatMap { Int($0.1) }
            }
        }
        #expect(listed == Self.released)
    }

    @Test func `the list of formats has the numbers of the sources`() throws {
        let document = try text(of: "Documentation/FileFormat.md")
        let introduction = document.prefix(
            upTo: try #require(document.range(of: "\n## ")).lowerBound)
        var listed: [String: String] = [:]
        for row in introduction.matches(of: /\n\| (.+?) \| (\d+) \|/) {
            // A link has its words in brackets.
            let name = row.1.replacing(/\[([^\]]+)\]\([^)]*\)/) { $0.1 }
            listed[String(name)] = String(row.2)
        }
        #expect(listed == Self.numbers)
    }
}
