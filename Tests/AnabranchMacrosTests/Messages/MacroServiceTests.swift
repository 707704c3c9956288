import Foundation
import Testing

@testable import AnabranchMacroExpansion

@Suite struct `The service behind the compiler` {
    private func answer(_ message: CompilerMessage) throws -> PluginAnswer {
        try PluginAnswer(MacroService().answer(message.json))
    }

    @Test func `says which protocol it speaks`() throws {
        let answer = try answer(.capability)
        #expect(answer.kind == "getCapabilityResult")
        #expect((answer.content["capability"] as? [String: Int]) == ["protocolVersion": 7])
    }

    @Test func `expands a macro in each of its roles`() throws {
        let parent = "\n@Entity class A: ManagedObject { var age: Int64 }"
        let attribute = "\n@Entity "
        let members = try answer(
            .attached(
                "EntityMacro", role: "member", attribute: attribute, declaration: parent))
        #expect(members.kind == "expandMacroResult" && members.diagnostics.isEmpty)
        #expect(members.source?.contains("[\"age\"]") == true)
        let mark = try answer(
            .attached(
                "EntityMacro", role: "memberAttribute", attribute: attribute,
                declaration: "var age: Int64 ", parent: parent))
        #expect(mark.source == "@_EntitySlot(slot: 0)")
        let accessors = try answer(
            .attached(
                "EntitySlotMacro", role: "accessor", attribute: "@_EntitySlot(slot: 0)",
                declaration: "var age: Int64 "))
        #expect(accessors.source?.contains("get { self[slot: 0] }") == true)
        let peer = try answer(
            .attached(
                "EntityMark", as: "Attribute ", role: "peer", attribute: "@Attribute ",
                declaration: "@Attribute var age: Int64 ",
                context: ["@Entity class A: ManagedObject {}"]))
        #expect(peer.source == "" && peer.diagnostics.isEmpty)
        let constraint = try answer(
            .freestanding(
                "EntityConstraint", as: "Unique", source: "#Unique<A>([\\.age])",
                context: ["@Entity class A: ManagedObject {}"]))
        #expect(constraint.source == "" && constraint.diagnostics.isEmpty)
        let stray = try answer(
            .freestanding("EntityConstraint", as: "Unique", source: "#Unique<A>([\\.age])"))
        #expect(stray.offsets == [100])
        #expect(stray.messages.first?.hasPrefix("#Unique says something only") == true)
    }

    @Test func `points into the file, past white space and comments`() throws {
        let source = "\n/// Ü\n@Entity struct A { }"
        let refused = try answer(
            .attached("EntityMacro", role: "member", attribute: "\n@Entity", declaration: source))
        #expect(refused.offsets == [100 + 16])
        #expect(refused.source == "")
        let position = refused.diagnostics.first?["position"] as? [String: Any]
        #expect(position?["fileName"] as? String == "/App/App.swift")
        #expect(refused.diagnostics.first?["severity"] as? String == "error")
        let stray = try answer(
            .attached(
                "EntityMark", as: "Attribute ", role: "peer", attribute: "\n// é\n@Attribute ",
                declaration: "\n// é\n@Attribute var x: Int "))
        #expect(stray.offsets == [100 + 7])
        #expect(stray.messages.first?.hasPrefix("@Attribute says something only") == true)
    }

    @Test func `offers changes in the words of the protocol`() throws {
        let refused = try answer(
            .attached(
                "EntityMacro", role: "member", attribute: "@Entity",
                declaration: "class A: ManagedObject { let x: Int }"))
        let fixIt = try #require((refused.diagnostics.first?["fixIts"] as? [[String: Any]])?.first)
        let change = try #require((fixIt["changes"] as? [[String: Any]])?.first)
        let range = try #require(change["range"] as? [String: Any])
        #expect(change["newText"] as? String == "var")
        #expect(range["startOffset"] as? Int == 125 && range["endOffset"] as? Int == 128)
    }

    @Test(arguments: [
        ("EntityMacro", "extension"), ("EntitySlotMacro", "member"), ("Another", "member"),
        ("EntityMark", "accessor"), ("", ""),
    ])
    func `refuses a macro or role that it has not`(type: String, role: String) throws {
        let answer = try answer(
            .attached(type, role: role, attribute: "@X", declaration: "class A: B {}"))
        #expect(answer.kind == "expandMacroResult" && answer.source == nil)
        #expect(answer.messages.count == 1 && answer.offsets == [100])
        #expect(answer.messages[0].contains("no macro '\(type)' for the role '\(role)'"))
    }

    @Test(arguments: [("EntityConstraint", "expression"), ("EntityMacro", "declaration")])
    func `refuses a freestanding macro that it has not`(type: String, role: String) throws {
        let answer = try answer(.freestanding(type, as: "X", role: role, source: "#X"))
        #expect(answer.source == nil && answer.offsets == [100])
        #expect(answer.messages[0].contains("no macro '\(type)' for the role '\(role)'"))
    }

    @Test(arguments: [
        #"{"expandFreestandingMacro":{"macro":{},"syntax":{}}}"#, #"{"tomorrow":{}}"#, "{}",
        #"{"getCapability":{},"expandAttachedMacro":{}}"#, #"{"expandAttachedMacro":{}}"#,
        #"{"expandAttachedMacro":{"macro":3}}"#, "", "{", "[]", "null", "\"", "\u{0}", "3",
    ])
    func `answers what it can't read with an error`(text: String) throws {
        let answer = try answer(CompilerMessage(text: text))
        #expect(answer.kind == "expandMacroResult" && answer.source == nil)
        #expect(answer.messages.count == 1)
        #expect(answer.messages[0].contains("AnabranchMacros can't read"))
    }

    @Test func `loads no library`() throws {
        let answer = try answer(
            CompilerMessage(text: #"{"loadPluginLibrary":{"libraryPath":"/x","moduleName":"X"}}"#))
        #expect(answer.kind == "loadPluginLibraryResult")
        #expect(answer.content["loaded"] as? Bool == false)
    }
}
