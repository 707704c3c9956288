import Foundation
package import Testing

/// Text and bytes that a test compares with a file under `Tests/<Module>/Golden/`.
///
/// With `UPDATE_GOLDEN=1` in the environment the file is written instead, for review and commit.
/// Files of released formats are never rewritten: a new format gets a new file name. The module's
/// test target must say `golden: true` in `Package.swift`.
package enum Golden {
    /// Records an issue with the differing lines unless the text is that of the golden file.
    ///
    /// - Parameter name: The file's name, below `Golden` of the calling test's module.
    package static func expect(
        _ text: String, matches name: String, caller: String = #filePath,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do {
            let file = try GoldenFile(name: name, caller: caller)
            if isUpdating { return try file.write(text) }
            guard let refusal = try file.refusal(of: text) else { return }
            Issue.record(Comment(rawValue: refusal), sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }

    /// Records an issue unless the bytes are those of the golden file. The file is a hex dump, so
    /// that a review shows each changed byte.
    package static func expect(
        bytes: [UInt8], matches name: String, caller: String = #filePath,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(
            HexDump.text(of: bytes), matches: name, caller: caller,
            sourceLocation: sourceLocation)
    }

    /// Returns the bytes of a golden hex dump, for tests that old formats can still be read.
    ///
    /// - Throws: An error if the file is missing or is not a hex dump.
    package static func bytes(named name: String, caller: String = #filePath) throws -> [UInt8] {
        let file = try GoldenFile(name: name, caller: caller)
        guard let text = try file.text() else { throw GoldenError.missing(path: file.path) }
        guard let bytes = HexDump.bytes(of: text) else {
            throw GoldenError.notAHexDump(path: file.path)
        }
        return bytes
    }

    /// Whether golden files are written instead of compared.
    package static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
}

package enum GoldenError: Error, CustomStringConvertible {
    case outsideTests(caller: String)
    case missing(path: String)
    case notAHexDump(path: String)

    package var description: String {
        switch self {
        case .outsideTests(let caller):
            "Can't place a golden file because \(caller) isn't below Tests/<Module>."
        case .missing(let path):
            "Can't read \(path) because it doesn't exist. Run with UPDATE_GOLDEN=1 to write it."
        case .notAHexDump(let path):
            "Can't read \(path) because it isn't a hex dump as HexDump writes it."
        }
    }
}
