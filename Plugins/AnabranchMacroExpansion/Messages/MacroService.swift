import Foundation

/// Answers each message of the compiler.
///
/// Every message gets an answer. For an unknown message the answer is a text that the compiler
/// shows as an error.
package struct MacroService {
    package init() {}

    /// Answers until the input ends, or until the compiler has ended, as it does if its build is
    /// cancelled.
    ///
    /// - Throws: ``MessageStream/Failure`` if the input ends within a message, or is not a message.
    ///   The complete messages have been answered.
    package func serve(_ stream: MessageStream) throws {
        do {
            while let message = try stream.next() { try stream.send(answer(message)) }
        } catch MessageStream.Failure.tooLong(let byteCount) {
            try stream.send(encoded(.failure(Self.advice("a message of \(byteCount) bytes"))))
            throw MessageStream.Failure.tooLong(byteCount: byteCount)
        } catch MessageStream.Failure.closed {
            return
        }
    }

    func answer(_ message: Data) -> Data {
        let reply: PluginReply
        do {
            reply = answer(try JSONDecoder().decode(CompilerRequest.self, from: message))
        } catch {
            reply = .failure(Self.advice("a message from the compiler (\(error))"))
        }
        return encoded(reply)
    }

    private static func advice(_ object: String) -> String {
        "AnabranchMacros can't read \(object) because it knows no such message. Build with a "
            + "version of Swift that the package is made for."
    }

    /// Encodes a reply, which contains only strings and numbers, so encoding cannot fail.
    private func encoded(_ reply: PluginReply) -> Data {
        (try? JSONEncoder().encode(reply)) ?? Data("{}".utf8)
    }

    func answer(_ request: CompilerRequest) -> PluginReply {
        switch request {
        case .capability: .getCapabilityResult(capability: .init())
        case .attachedMacro(let use): expand(use)
        case .freestandingMacro(let use): expand(use)
        case .pluginLibrary: .loadPluginLibraryResult(loaded: false, diagnostics: [])
        case .unknown(let kind):
            .failure(Self.advice("the compiler's message '\(kind)'"))
        }
    }

    private func expand(_ use: MacroUse) -> PluginReply {
        guard let expansion = expansion(of: use) else {
            return Self.unknown(use.macro, role: use.macroRole, at: use.attributeSyntax.location)
        }
        let diagnostics =
            expansion.attributeComplaints.map { .init($0, in: use.attributeSyntax) }
            + expansion.diagnostics.map { PluginReply.Diagnostic($0, in: use.declSyntax) }
        return .expandMacroResult(expandedSource: expansion.source, diagnostics: diagnostics)
    }

    private func expand(_ use: FreestandingMacroUse) -> PluginReply {
        let role = use.macroRole ?? "expression"
        guard use.macro.typeName == EntityConstraintMacro.typeName, role == "declaration" else {
            return Self.unknown(use.macro, role: role, at: use.syntax.location)
        }
        let expansion = EntityConstraintMacro.check(
            use.macro.name.filter { !$0.isWhitespace }, in: (use.lexicalContext ?? []).map(\.source)
        )
        return .expandMacroResult(
            expandedSource: expansion.source,
            diagnostics: expansion.diagnostics.map { .init($0, in: use.syntax) })
    }

    private static func unknown(
        _ macro: MacroUse.MacroName, role: String, at place: MacroUse.Location
    ) -> PluginReply {
        .failure(
            "AnabranchMacros has no macro '\(macro.typeName)' for the role '\(role)'. Remove the "
                + "build folder and build again.",
            at: .init(fileName: place.fileName, offset: place.offset))
    }

    private func expansion(of use: MacroUse) -> Expansion? {
        let source = use.declSyntax.source
        return switch (use.macro.typeName, use.macroRole) {
        case (EntityMacro.typeName, "member"):
            EntityMacro.members(of: source, attribute: use.attributeSyntax.source)
        case (EntityMacro.typeName, "memberAttribute"):
            EntityMacro.attribute(ofMember: source, in: use.parentDeclSyntax?.source)
        case (CompositeMacro.typeName, "extension"):
            CompositeMacro.extension(of: source, named: use.extendedTypeSyntax?.source)
        case (CompositeMacro.typeName, "member"): CompositeMacro.members(of: source)
        case (EntitySlotMacro.typeName, "accessor"):
            EntitySlotMacro.accessors(attribute: use.attributeSyntax.source)
        case (FetchedPropertyMacro.typeName, "accessor"):
            FetchedPropertyMacro.accessors(
                of: source, in: (use.lexicalContext ?? []).map(\.source))
        case (EntityMark.typeName, "peer"):
            EntityMark.check(
                use.macro.name.filter { !$0.isWhitespace }, on: source,
                in: (use.lexicalContext ?? []).map(\.source))
        default: nil
        }
    }
}
