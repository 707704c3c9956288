import AnabranchMacroExpansion
import Foundation

/// One file of the package, as its path below the root and its text.
///
/// Rules see nothing else of the world, so that a test can give them a sample.
struct SourceFile: Sendable {
    /// With slashes, from the package's root.
    let path: String
    let text: String
    let isExecutable: Bool
    /// Cut once and shared by all rules. Empty for what is not Swift.
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
