import AnabranchModel
import AnabranchProtocol
import AnabranchStore
import Foundation
import Testing

@testable import AnabranchReplication

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

    @Test func `the list of formats has the numbers of the sources`() throws {
        let root = try SourceTree.packageRoot.get()
        let document = try String(
            contentsOf: root.appending(path: "Documentation/FileFormat.md"), encoding: .utf8)
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
