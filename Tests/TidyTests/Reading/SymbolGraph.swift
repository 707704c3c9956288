import Foundation

/// The public symbols of a module, as `swift symbolgraph-extract` writes them.
struct SymbolGraph: Decodable {
    let symbols: [Symbol]

    /// One public symbol with its place in the sources and its doc comment.
    struct Symbol: Decodable {
        let kind: Kind
        /// The names from the outermost type to the symbol itself.
        let pathComponents: [String]
        /// The words and marks of the declaration, without its body.
        let declarationFragments: [Fragment]?
        /// The doc comment; `nil` if neither the symbol nor its protocol requirement has one.
        let docComment: Comment?
        /// The place in the sources; `nil` for symbols that the compiler has generated.
        let location: Location?
    }

    struct Kind: Decodable {
        /// The kind in the format's own words: `swift.struct`.
        let identifier: String
        let displayName: String
    }

    struct Fragment: Decodable {
        let spelling: String
    }

    struct Comment: Decodable {
        let lines: [Line]
    }

    struct Line: Decodable {
        let text: String
    }

    struct Location: Decodable {
        let uri: String
        let position: Position
    }

    struct Position: Decodable {
        /// The line number, from 0.
        let line: Int
    }
}
