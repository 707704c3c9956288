import Foundation

/// The words of the command line, and the settings of the environment or of a file, that may have a
/// password: addresses of databases and of hooks.
///
/// A word in a wrong place is repeated in the error about it, whatever the place is. So the report
/// of the error leaves such words out.
struct SecretWords {
    private let words: [String]

    init(_ arguments: [String], environment: [String: String] = [:]) {
        let values = arguments.compactMap { argument in
            argument.firstIndex(of: "=").map { String(argument[argument.index(after: $0)...]) }
        }
        let settings = environment.filter { $0.key.hasPrefix("ANABRANCHD_") }.values
        words = (arguments + values + settings).filter { word in
            word.contains("://") && word.contains("@") || word.contains("password=")
        }
    }

    /// The text with an ellipsis in the place of each such word.
    func hidden(in text: String) -> String {
        words.reduce(text) { $0.replacingOccurrences(of: $1, with: "…") }
    }
}
