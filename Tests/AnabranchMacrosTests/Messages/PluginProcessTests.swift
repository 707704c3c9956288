import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct `The plug-in as a process` {
    private func member(_ declaration: String) throws -> CompilerMessage {
        try .attached(
            "EntityMacro", role: "member", attribute: "@Entity", declaration: declaration)
    }

    @Test func `answers message after message until its input ends`() throws {
        let messages = [
            CompilerMessage.capability, try member("class A: ManagedObject { var a: Int }"),
            CompilerMessage(text: "{\"tomorrow\":{}}"), CompilerMessage(text: "no JSON"),
            CompilerMessage(text: ""), try member("struct A {}"), .capability,
        ]
        let run = try PluginProcess(input: messages.map(\.framed).reduce(Data(), +))
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(
            run.answers.map(\.kind) == ["getCapabilityResult"]
                + Array(repeating: "expandMacroResult", count: 5) + ["getCapabilityResult"])
        #expect(run.answers.map(\.messages.count) == [0, 0, 1, 1, 1, 1, 0])
        #expect(run.answers[1].source?.contains("entityName") == true)
    }

    @Test func `reads a message that comes in pieces larger than a pipe`() throws {
        let properties = (0..<20_000).map { "var p\($0): Int64" }.joined(separator: "\n")
        let message = try member("class A: ManagedObject {\n\(properties)\n}")
        #expect(message.framed.count > 1 << 18)
        let run = try PluginProcess(input: message.framed)
        #expect(run.status == 0)
        #expect(run.answers.first?.source?.contains("\"p19999\"") == true)
    }

    @Test(arguments: [Data(), CompilerMessage.capability.framed])
    func `ends in peace where its input ends`(input: Data) throws {
        let run = try PluginProcess(input: input)
        #expect(run.status == 0 && run.errors.isEmpty)
    }

    @Test func `ends in peace where the compiler has ended`() throws {
        let run = try PluginProcess(
            input: CompilerMessage.capability.framed, readsAnswers: false)
        #expect(run.status == 0 && run.errors.isEmpty)
    }

    @Test(arguments: [1, 7, 8, 20])
    func `ends with an error where a message is cut short`(byteCount: Int) throws {
        let whole = CompilerMessage.capability.framed
        let run = try PluginProcess(input: whole + whole.prefix(byteCount))
        #expect(run.status == 1 && run.errors.contains("cutShort"))
        #expect(run.answers.map(\.kind) == ["getCapabilityResult"])
    }

    @Test(arguments: [1 << 30 + 1, .max, .max >> 1] as [UInt64])
    func `refuses a length that no message has`(byteCount: UInt64) throws {
        let header = Data((0..<8).map { UInt8(truncatingIfNeeded: byteCount >> (8 * $0)) })
        let run = try PluginProcess(input: header + Data("{}".utf8))
        #expect(run.status == 1 && run.errors.contains("tooLong"))
        #expect(run.answers.first?.messages.first?.contains("\(byteCount) bytes") == true)
    }
}
