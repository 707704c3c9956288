import Foundation
import Testing

@testable import AnabranchCLI

@Suite struct TerminalTextTests {
    @Test func `a value is in one line`() {
        #expect(TerminalText.printable("a\tb\n\u{1B}[1mc") == "a␉b␊␛[1mc")
    }

    @Test func `only styles and layout reach a terminal`() {
        #expect(TerminalText.shown("a\tb\nc") == "a\tb\nc")
        #expect(TerminalText.shown("\u{1B}[1ma\u{1B}[0m\u{1B}[2J") == "\u{1B}[1ma\u{1B}[0m␛[2J")
        #expect(TerminalText.shown("\u{1B}]0;x\u{7}\u{9B}\r") == "␛]0;x␇\u{FFFD}␍")
        #expect(TerminalText.shown("\u{202E}gpj.exe") == "\u{FFFD}gpj.exe")
    }

    @Test func `a terminal gets no controls of a message, and a file gets every byte`() throws {
        let message = "the zone says \u{1B}]0;x\u{7}"
        #expect(try output(of: message, toTerminal: true) == "the zone says ␛]0;x␇\n")
        #expect(try output(of: message, toTerminal: false) == message + "\n")
    }

    private func output(of message: String, toTerminal isTerminal: Bool) throws -> String {
        let pipe = Pipe()
        let output = TextOutput(
            descriptor: pipe.fileHandleForWriting.fileDescriptor, isTerminal: isTerminal)
        try Console(output: output, environment: [:]).print(message)
        try output.flush()
        try pipe.fileHandleForWriting.close()
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
