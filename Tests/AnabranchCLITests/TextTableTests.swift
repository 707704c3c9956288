import Foundation
import TestSupport
import Testing

@testable import AnabranchCLI

@Suite struct TextTableTests {
    @Test func `columns are as wide as they need to be and the right edge is ragged`() {
        var table = TextTable([.init("NAME"), .init("AREA", .right), .init("NOTE")])
        table.append(["Réunion", "2512", "a"])
        table.append(["日本", "377975", ""])
        table.append(["Åland"])
        #expect(
            table.text() == """
                NAME       AREA  NOTE
                Réunion    2512  a
                日本     377975
                Åland

                """)
    }

    @Test func `wide characters, marks and flags take the columns that they take`() {
        #expect(CharacterWidth.width(of: "日本") == 4)
        #expect(CharacterWidth.width(of: "e\u{301}") == 1)
        #expect(CharacterWidth.width(of: "🇫🇷") == 2)
        #expect(CharacterWidth.width(of: "👩‍👩‍👧") == 2)
        #expect(CharacterWidth.width(of: "\u{200B}") == 0)
    }

    @Test func `a narrow terminal cuts the widest column`() {
        var table = TextTable([.init("A"), .init("B")])
        table.append(["12345", String(repeating: "x", count: 50)])
        let lines = table.text(width: 20).split(separator: "\n")
        #expect(lines.allSatisfy { CharacterWidth.width(of: $0) <= 20 })
        #expect(lines[1] == "12345  xxxxxxxxxxxx…")
    }

    @Test func `a value can't steer the terminal`() {
        var table = TextTable([.init("A")])
        table.append(["\u{1B}[2J\n\u{9B}31m\u{202E}"])
        let text = table.text()
        #expect(text == "A\n␛[2J␊\u{FFFD}31m\u{FFFD}\n")
    }

    @Test func `progress is drawn within the width`() {
        let line = ProgressBar.line(
            fraction: 0.5, count: 500, unit: "rows", elapsed: .seconds(2), width: 60)
        #expect(line.hasSuffix(" 50% 500 rows, 250/s"))
        #expect(CharacterWidth.width(of: line) <= 60)
        #expect(
            ProgressBar.line(fraction: nil, count: 3, unit: "rows", elapsed: .zero, width: 60)
                == "3 rows, 0/s")
        #expect(
            ProgressBar.line(fraction: 7, count: 1, unit: "r", elapsed: .zero, width: 5)
                .hasSuffix("100% 1 r, 0/s"))
    }

    @Test func `a note can't control the terminal`() throws {
        let folder = try TemporaryDirectory("note")
        let file = folder.file("errors")
        let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let console = Console(errors: TextOutput(descriptor: descriptor), environment: [:])
        console.writeNote("a\u{1B}]0;owned\u{7}b\r\u{9B}2J\nnext\u{202E}")
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(written == "a␛]0;owned␇b␍\u{FFFD}2J\nnext\u{FFFD}\n")
    }
}
