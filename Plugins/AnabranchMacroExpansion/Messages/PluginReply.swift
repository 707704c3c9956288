/// A message to the compiler; the names are those of the compiler's protocol.
enum PluginReply: Encodable, Equatable {
    case getCapabilityResult(capability: Capability)
    case expandMacroResult(expandedSource: String?, diagnostics: [Diagnostic])
    case loadPluginLibraryResult(loaded: Bool, diagnostics: [Diagnostic])

    struct Capability: Encodable, Equatable {
        var protocolVersion = 7
    }

    struct Diagnostic: Encodable, Equatable {
        let message: String
        var severity = "error"
        let position: Position
        var highlights: [Change.Place] = []
        var notes: [Note] = []
        var fixIts: [FixIt] = []
    }

    struct Position: Encodable, Equatable {
        let fileName: String
        let offset: Int
        /// A position with which the compiler shows the message without a place.
        static let unknown = Position(fileName: "", offset: 0)
    }

    struct Note: Encodable, Equatable {
        let position: Position
        let message: String
    }

    struct FixIt: Encodable, Equatable {
        let message: String
        let changes: [Change]
    }

    struct Change: Encodable, Equatable {
        let range: Place
        let newText: String

        struct Place: Encodable, Equatable {
            let fileName: String
            let startOffset: Int
            let endOffset: Int
        }
    }

    /// A reply with an error and no expansion.
    static func failure(_ message: String, at position: Position = .unknown) -> PluginReply {
        .expandMacroResult(
            expandedSource: nil, diagnostics: [Diagnostic(message: message, position: position)])
    }
}

extension PluginReply.Diagnostic {
    init(_ diagnostic: Diagnostic, in text: MacroUse.SourceText) {
        let (file, start) = (text.location.fileName, text.location.offset)
        message = diagnostic.message
        position = .init(
            fileName: file, offset: start + max(diagnostic.offset, text.source.firstCodeOffset))
        fixIts =
            diagnostic.fixIt.map { fixIt in
                let place = PluginReply.Change.Place(
                    fileName: file, startOffset: start + fixIt.range.lowerBound,
                    endOffset: start + fixIt.range.upperBound)
                return [
                    .init(
                        message: fixIt.message,
                        changes: [.init(range: place, newText: fixIt.text)])
                ]
            } ?? []
    }
}

extension String {
    /// The offset of the first code after white space and comments.
    fileprivate var firstCodeOffset: Int { SwiftLexer.code(of: self).first?.offset ?? 0 }
}
