/// The public declarations of modules, as symbol graphs list them.
struct PublicInterface {
    /// One line for each declaration that is written in the sources: the type that it belongs to,
    /// and the declaration without its body. Sorted.
    let lines: [String]
    /// The names of the types and protocols that are not inside another type.
    let types: Set<String>

    /// The folders of the module Anabranch and of those that it re-exports.
    static let foldersOfAnabranch = [
        "Sources/Anabranch/", "Sources/AnabranchModel/", "Sources/AnabranchReplication/",
        "Sources/AnabranchStore/",
    ]
    private static let typeKinds: Set = [
        "swift.class", "swift.enum", "swift.protocol", "swift.struct", "swift.typealias",
    ]

    /// - Parameters:
    ///   - root: The package's root as a URL with a slash at its end.
    ///   - folders: The folders of the declarations that are listed.
    init(_ graphs: [SymbolGraph], root: String, folders: [String] = foldersOfAnabranch) {
        let symbols = graphs.flatMap(\.symbols).filter { symbol in
            folders.contains { symbol.location?.uri.hasPrefix(root + $0) == true }
        }
        lines = symbols.map(Self.line).sorted()
        types = Set(
            symbols.filter { $0.pathComponents.count == 1 && Self.isType($0) }
                .map { $0.pathComponents[0] })
    }

    private static func isType(_ symbol: SymbolGraph.Symbol) -> Bool {
        typeKinds.contains(symbol.kind.identifier)
    }

    private static func line(_ symbol: SymbolGraph.Symbol) -> String {
        let path = isType(symbol) ? symbol.pathComponents[...] : symbol.pathComponents.dropLast()
        let owner = path.isEmpty ? "global" : path.joined(separator: ".")
        let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\(owner): \(declaration)"
    }
}
