/// Every public symbol has a doc comment that begins with a summary.
struct SummaryRule {
    /// The package's root as a URL with a slash at its end; places are named below it.
    let root: String

    func violations(in graph: SymbolGraph) -> [Violation] {
        graph.symbols.filter { !Self.hasSummary($0) }.map { symbol in
            let name = symbol.pathComponents.joined(separator: ".")
            return Violation(
                path: symbol.location.map { path(of: $0.uri) } ?? name,
                line: (symbol.location?.position.line ?? 0) + 1,
                message: "\(symbol.kind.displayName) \(name) is public and has no summary. Write "
                    + "a doc comment that begins with a sentence.")
        }
    }

    /// Whether the comment begins with prose: a list, such as of parameters, is no summary.
    private static func hasSummary(_ symbol: SymbolGraph.Symbol) -> Bool {
        let lines = symbol.docComment?.lines.map { $0.text.drop { $0 == " " } } ?? []
        guard let first = lines.first(where: { !$0.isEmpty }) else { return false }
        return !["- ", "* ", "#", "```"].contains { first.hasPrefix($0) }
    }

    private func path(of uri: String) -> String {
        uri.hasPrefix(root) ? String(uri.dropFirst(root.count)) : uri
    }
}
