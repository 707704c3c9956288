import AnabranchModel
import Testing

@testable import AnabranchCLI

@Suite struct ArgumentParserTests {
    private static let specification = CommandSpecification(
        name: "paint", summary: "Paints.",
        arguments: [
            .store, .entity,
            ArgumentSpecification("WORD", "More.", isRequired: false, isRepeated: true),
        ],
        options: [
            OptionSpecification("limit", "N", "How many."),
            OptionSpecification("map", "A=B", "A pair.", isRepeated: true), .json,
        ])

    private func parse(
        _ words: [String], environment: String? = nil
    ) throws(UsageError) -> ParsedArguments {
        try ArgumentParser(Self.specification, environmentStore: environment).parse(words)
    }

    private func message(_ words: [String], environment: String? = nil) -> String {
        do {
            _ = try parse(words, environment: environment)
            return "nothing is wrong"
        } catch {
            return error.message
        }
    }

    @Test func `options stand anywhere and take values in two ways`() throws {
        let parsed = try parse([
            "--limit=3", "a.store", "--map", "x=y", "City", "--map=z=w", "--json",
        ])
        #expect(try parsed.number("limit", in: 1...10) == 3)
        #expect(parsed.texts("map") == ["x=y", "z=w"])
        #expect(try parsed.word("STORE") == "a.store")
        #expect(try parsed.word("ENTITY") == "City")
        #expect(parsed.isSet("json"))
        #expect(parsed.allWords("WORD").isEmpty)
    }

    @Test func `after two dashes everything is a word`() throws {
        let parsed = try parse(["a.store", "City", "--", "--limit", "-", "--json"])
        #expect(parsed.allWords("WORD") == ["--limit", "-", "--json"])
        #expect(!parsed.isSet("json"))
    }

    @Test func `a dash alone is a word`() throws {
        #expect(try parse(["a.store", "City", "-"]).allWords("WORD") == ["-"])
    }

    @Test func `an empty value is a value`() throws {
        #expect(try parse(["a.store", "City", "--limit="]).text("limit") == "")
    }

    @Test func `an unknown option is named with the one that was meant`() {
        #expect(message(["a", "City", "--limmit", "3"]).contains("Did you mean --limit?"))
        #expect(message(["a", "City", "--qqqqqqqq"]).contains("There is no option --qqqqqqqq."))
        #expect(message(["a", "City", "-5"]).contains("Put '--' before words"))
    }

    @Test func `an argument that is missing, repeated or superfluous is reported`() {
        #expect(
            message(["a.store"])
                == "'paint' needs ENTITY: anabranch paint STORE ENTITY [WORD…] [OPTION…]")
        #expect(message([]).contains("needs STORE and ENTITY"))
        #expect(message(["a", "City", "--limit", "1", "--limit", "2"]).contains("twice"))
        #expect(message(["a", "City", "--json=yes"]).contains("takes no value"))
        #expect(message(["a", "City", "--limit"]).contains("--limit N"))
        #expect(message(["a", "City", "--limit", "--"]).contains("needs a value"))
    }

    @Test func `a number outside its range is refused`() throws {
        let parsed = try parse(["a", "City", "--limit", "0x1"])
        #expect(throws: UsageError.self) { try parsed.number("limit", in: 1...10) }
        let large = try parse(["a", "City", "--limit", "99999999999999999999"])
        #expect(throws: UsageError.self) { try large.number("limit", in: 1 ... .max) }
    }

    @Test func `the environment can name the store`() throws {
        let parsed = try parse(["City", "x"], environment: "e.store")
        #expect(try parsed.word("STORE") == "e.store")
        #expect(try parsed.word("ENTITY") == "City")
        #expect(parsed.allWords("WORD") == ["x"])
    }

    @Test func `a path in its place wins over the environment`() throws {
        let parsed = try parse(["./b", "City"], environment: "e.store")
        #expect(try parsed.word("STORE") == "./b")
    }

    @Test func `the option wins over both`() throws {
        let parsed = try parse(["City", "--store", "o"], environment: "e.store")
        #expect(try parsed.word("STORE") == "o")
        #expect(try parse(["City", "--store=o"]).word("ENTITY") == "City")
    }

    @Test func `help needs nothing else`() throws {
        #expect(try parse(["--help"]).isSet("help"))
        #expect(try parse(["-h"]).isSet("help"))
    }

    @Test(arguments: CommandTable.all.map { $0.specification.name })
    func `every command explains itself within the columns of a terminal`(name: String) throws {
        let words = name.split(separator: " ").map(String.init)
        let (command, count) = try CommandTable.command(beginning: words)
        #expect(count == words.count)
        let help = command.specification.help
        let first = command.specification.arguments.first?.name ?? ""
        #expect(help.hasPrefix("Usage: anabranch \(name) \(first)"))
        #expect(help.contains("--help"))
        #expect(help.contains("Examples:"))
        for line in help.split(separator: "\n") where !line.contains("anabranch \(name)") {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test(arguments: [("ftech", "fetch"), ("synch", "sync"), ("stat", "status"), ("LOG", "log")])
    func `a mistyped command is recognised`(typed: String, meant: String) {
        #expect(throws: UsageError.self) { try CommandTable.command(beginning: [typed]) }
        let names = CommandTable.all.map { $0.specification.name }
        #expect(NearestWord.suggestion(for: typed, among: names) == meant)
    }
}
