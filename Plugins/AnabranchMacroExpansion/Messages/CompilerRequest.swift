/// A message from the compiler.
///
/// The compiler and its plug-ins exchange JSON; the messages are those of `PluginMessage` in
/// swift-syntax. Other fields are ignored.
enum CompilerRequest {
    case capability
    case attachedMacro(MacroUse)
    case freestandingMacro(FreestandingMacroUse)
    case pluginLibrary
    /// A message of a kind that this plug-in does not know.
    case unknown(String)
}

/// A declaration to which a macro is attached.
struct MacroUse: Decodable {
    let macro: MacroName
    /// The role of the macro: `member`, `accessor` and so on.
    let macroRole: String
    let attributeSyntax: SourceText
    let declSyntax: SourceText
    let parentDeclSyntax: SourceText?
    /// The type that an extension macro extends, as it is named from outside.
    let extendedTypeSyntax: SourceText?
    /// The declarations that enclose the declaration, the innermost first, without bodies.
    let lexicalContext: [SourceText]?

    struct MacroName: Decodable {
        let name: String
        let typeName: String
    }

    struct SourceText: Decodable {
        let source: String
        let location: Location
    }

    struct Location: Decodable {
        let fileName: String
        /// The offset of the first byte of the source, which may be white space or a comment.
        let offset: Int
    }
}

/// A macro that is used as a declaration.
struct FreestandingMacroUse: Decodable {
    let macro: MacroUse.MacroName
    /// The role of the macro; nil is an expression.
    let macroRole: String?
    let syntax: MacroUse.SourceText
    /// The declarations that enclose the macro, the innermost first, without bodies.
    let lexicalContext: [MacroUse.SourceText]?
}

extension CompilerRequest: Decodable {
    private struct Kind: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard container.allKeys.count == 1, let kind = container.allKeys.first else {
            self = .unknown(container.allKeys.map(\.stringValue).sorted().joined(separator: ", "))
            return
        }
        switch kind.stringValue {
        case "getCapability": self = .capability
        case "expandAttachedMacro":
            self = .attachedMacro(try container.decode(MacroUse.self, forKey: kind))
        case "expandFreestandingMacro":
            self = .freestandingMacro(
                try container.decode(FreestandingMacroUse.self, forKey: kind))
        case "loadPluginLibrary": self = .pluginLibrary
        default: self = .unknown(kind.stringValue)
        }
    }
}
