import AnabranchMacroExpansion
import Foundation

/// One file of the package: its path below the root and its text.
///
/// Rules receive nothing else, so that a test can give them a sample.
struct SourceFile: Sendable {
    /// The path from the package's root, with slashes.
    let path: String
    let text: String
    let isExecutable: Bool
    /// The tokens, computed once for all rules; empty for a file that is not Swift.
    let tokens: [SwiftToken]

    init(path: String, text: String, isExecutable: Bool = false) {
        self.path = path
        self.text = text
        self.isExecutable = isExecutable
        tokens = path.hasSuffix(".swift") ? SwiftLexer.tokens(of: text) : []
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isDocument: Bool { path.hasSuffix(".md") }
    var components: [Substring] { path.split(separator: "/") }

    /// The lines without their line feeds; a line feed at the end begins no further line.
    var lines: [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Whether the first component is one of these top folders.
    func isIn(_ folders: Set<String>) -> Bool {
        components.first.map { folders.contains(String($0)) && components.count > 1 } ?? false
    }
}
