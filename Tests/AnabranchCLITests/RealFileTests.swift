import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchCLI

/// Tests of imports of files as other programs write them.
@Suite(.waiting) struct RealFileTests {
    private func founded(_ bench: Workbench) throws -> [Substring] {
        try bench.run(
            "export", "City", "--format", "csv", "--sort", "name", "--columns", "founded"
        ).lines.dropFirst().map { $0 }
    }

    @Test(arguments: ["csv", "jsonl", "text"])
    func `a number is a date only with its unit, in every form of input`(kind: String) throws {
        let bench = try Workbench()
        let content =
            switch kind {
            case "csv": "name,founded\nA,1700000000\n"
            case "jsonl": #"{"name":"A","founded":1700000000}"#
            default: #"{"name":"A","founded":"1700000000"}"#
            }
        let file = try bench.write(content, to: "c.\(kind == "csv" ? "csv" : "json")")
        let refused = try bench.run("import", "City", file)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("field 'founded': '1700000000' is not a time"))
        #expect(refused.errors.contains("--dates seconds-since-1970"), "\(refused.errors)")
        #expect(try bench.run("fetch", "City", "--count").output == "0\n")
        #expect(try bench.run("insert", "City", "name=A", "founded=1700000000").status == 64)
        let run = try bench.run("import", "City", file, "--dates", "seconds-since-1970")
        #expect(run.output == "City: 1 inserted, in 1 save.\n", "\(run.errors)")
        #expect(try founded(bench) == ["2023-11-14T22:13:20Z"])
    }

    @Test func `the dates of tables come back by import`() throws {
        let bench = try Workbench()
        _ = try bench.run(
            "import", "City", "-", "--format", "csv",
            input: "name,founded\nA,2024-05-01T12:30:15.25Z\nB,1850-02-03T04:05:06Z\n")
        let tables = bench.folder.file("t.sqlite")
        #expect(try bench.run("export", "--sqlite", tables).status == 0)
        let database = try Connection(path: tables, mode: .readOnly)
        defer { database.close() }
        let rows = try ["A", "B"].map { name in
            let seconds = try database.firstValue(
                "SELECT founded FROM City WHERE name = '\(name)'")
            guard case .real(let seconds) = seconds else { return "\(name)," }
            return "\(name),\(seconds)"
        }
        let file = try bench.write(
            (["name,founded"] + rows).joined(separator: "\n") + "\n", to: "b.csv")
        let other = try Workbench()
        let run = try other.run(
            "import", "City", file, "--dates", "founded=seconds-since-1970")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try founded(other) == founded(bench))
    }

    @Test func `a hexadecimal number is refused everywhere, and NaN stays NaN`() throws {
        let bench = try Workbench(
            model: Workbench.model.replacing(
                #"name="area" optional="YES" attributeType="Decimal""#,
                with: #"name="area" optional="YES" attributeType="Double""#))
        for (name, text) in [
            ("a.csv", "name,area\nA,0x10\n"), ("a.json", #"{"name":"A","area":"0x10"}"#),
        ] {
            let run = try bench.run("import", "City", try bench.write(text, to: name))
            #expect(run.status == 65)
            #expect(run.errors.contains("'0x10' is not a number."), "\(run.errors)")
        }
        #expect(try bench.run("insert", "City", "name=A", "area=0x10").status == 64)
        #expect(try bench.run("insert", "City", "name=A", "area=nan").status == 0)
        #expect(try bench.run("update", "City", "name=A", "area=0x10").status == 64)
        #expect(try bench.run("get", "City", "area=0x10").status == 64)
        let tables = bench.folder.file("t.sqlite")
        #expect(try bench.run("export", "--sqlite", tables).status == 0)
        let database = try Connection(path: tables, mode: .readOnly)
        defer { database.close() }
        #expect(try database.firstValue("SELECT area FROM City") == .text("NaN"))
    }

    @Test func `rows may end early if that is said`() throws {
        let bench = try Workbench()
        let file = try bench.write("name,people,area\nA\nB,7\nC,8,9.5\n", to: "c.csv")
        let refused = try bench.run("import", "City", file)
        #expect(refused.errors.contains("c.csv:2:1: The row has 1 fields"))
        #expect(refused.errors.contains("Type --pad-rows"), "\(refused.errors)")
        let run = try bench.run("import", "City", file, "--pad-rows")
        #expect(run.status == 0, "\(run.errors)")
        let output = try bench.run(
            "export", "City", "--format", "csv", "--sort", "name", "--columns", "name,people,area"
        ).output
        // The default of people is 0: an empty field is a missing value all the same.
        #expect(output == "name,people,area\nA,,\nB,7,\nC,8,9.5\n")
        let long = try bench.write("name,people\nA,1,2\n", to: "d.csv")
        let tooLong = try bench.run("import", "City", long, "--pad-rows")
        #expect(tooLong.status == 65 && !tooLong.errors.contains("--pad-rows"))
    }

    @Test func `a table of a bank is read with its commas and dates`() throws {
        let bench = try Workbench()
        let file = try bench.write(
            "name;people;area;founded\nA;1.234;1.234,50;31.12.2023 02:30\nB;7;-0,5;\n",
            to: "c.csv")
        let forms = ["--delimiter", ";", "--dates", "dd.MM.yyyy HH:mm"]
        let refused = try ToolRun(["import", bench.store, "City", file] + forms)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("--decimal"), "\(refused.errors)")
        let run = try ToolRun(
            ["import", bench.store, "City", file, "--decimal", ",", "--time-zone", "Europe/Berlin"]
                + forms)
        #expect(run.output == "City: 2 inserted, in 1 save.\n", "\(run.errors)")
        let output = try bench.run(
            "export", "City", "--format", "csv", "--sort", "name", "--columns",
            "name,people,area,founded"
        ).output
        #expect(
            output == "name,people,area,founded\nA,1234,1234.5,2023-12-31T01:30:00Z\nB,7,-0.5,\n")
    }

    @Test func `a number of JSON has a point whatever texts have`() throws {
        let bench = try Workbench()
        let file = try bench.write(
            #"{"name":"A","area":1.5}{"name":"B","area":"1,5"}"#, to: "c.json")
        let run = try bench.run("import", "City", file, "--decimal", ",")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            try bench.run("fetch", "City", "--where", "area == 1.5", "--count").output == "2\n")
    }

    @Test func `times without an offset are read as UTC, and the report says so`() throws {
        let bench = try Workbench()
        let text = "name,founded\nA,2024-05-01\nB,2024-05-01 12:00\nC,2024-05-01T12:00Z\n"
        let file = try bench.write(text, to: "c.csv")
        let run = try bench.run("import", "City", file)
        #expect(
            run.output == """
                City: 3 inserted, in 1 save.
                Read 2 times without an offset as UTC. Type --time-zone ZONE for another zone.

                """)
        let json = try bench.run("import", "City", file, "--json")
        #expect(json.output.contains(#""timesWithoutZone":2"#))
        let other = try Workbench()
        let local = try other.run("import", "City", file, "--time-zone", "America/New_York")
        #expect(local.output == "City: 3 inserted, in 1 save.\n", "\(local.errors)")
        #expect(
            try founded(other) == [
                "2024-05-01T04:00:00Z", "2024-05-01T16:00:00Z", "2024-05-01T12:00:00Z",
            ])
        let skipped = try bench.write("name,founded\nA,2024-03-31T02:30\n", to: "d.csv")
        let refused = try other.run("import", "City", skipped, "--time-zone", "Europe/Berlin")
        #expect(refused.status == 65)
        #expect(refused.errors.contains("does not exist in Europe/Berlin"), "\(refused.errors)")
    }

    @Test(arguments: [
        (["--dates", "name=dd.MM.yyyy"], "City.name is none"),
        (["--dates", "fonded=iso8601"], "Did you mean founded?"),
        (["--dates", "iso8601", "--dates", "iso8601"], "is given twice"),
        (["--decimal", ";"], "--decimal is a comma or a point"),
        (["--time-zone", "Mars"], "There is no time zone 'Mars'"),
    ])
    func `an option that fits no file is refused`(words: [String], message: String) throws {
        let bench = try Workbench()
        let file = try bench.write("name\nA\n", to: "c.csv")
        let run = try ToolRun(["import", bench.store, "City", file] + words)
        #expect(run.status == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test func `advice on a column can be pasted into a shell`() throws {
        let bench = try Workbench()
        let file = try bench.write("name,Einwohner (ca.) = Zahl\nA,1\n", to: "c.csv")
        let refused = try bench.run("import", "City", file)
        #expect(
            refused.errors.contains("--map 'Einwohner (ca.) = Zahl=PROPERTY'"), "\(refused.errors)")
        let run = try bench.run(
            "import", "City", file, "--map", "Einwohner (ca.) = Zahl=people")
        #expect(run.status == 0, "\(run.errors)")
        let missing = try ToolRun(["status", bench.folder.file("my store")])
        #expect(missing.errors.contains("init '\(bench.folder.file("my store"))' --model"))
    }

    @Test(arguments: ["csv", "json", "jsonl"])
    func `an import of an export has the same bytes`(format: String) throws {
        let bench = try Workbench()
        var random = SeededGenerator(seed: 61)
        var lines = ["name,founded"]
        let times = (0..<200).map { _ in
            Double(sign: .plus, exponent: Int.random(in: -30...38, using: &random), significand: 1)
                * Double.random(in: -1...1, using: &random)
        }
        for (index, seconds) in ([-0.0, 736_259_400.123_456_72] + times).enumerated() {
            lines.append("\(index),@\(seconds)")
        }
        lines.append("\"\"\"\u{301}\r\n;, \u{301}\",")
        let file = try bench.write(lines.joined(separator: "\n") + "\n", to: "a.csv")
        let made = try bench.run("import", "City", file)
        #expect(made.status == 0, "\(made.errors)")
        func export(_ bench: Workbench, _ format: String) throws -> String {
            try bench.run(
                "export", "City", "--format", format, "--sort", "name", "--columns", "name,founded"
            ).output
        }
        let other = try Workbench()
        let copy = try other.write(try export(bench, format), to: "b.\(format)")
        let run = try other.run("import", "City", copy)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try export(other, "csv") == export(bench, "csv"))
        #expect(try bits(of: other) == bits(of: bench))
    }

    /// The stored names and times of all cities, to the last bit.
    private func bits(of bench: Workbench) throws -> [String] {
        let store = try Connection(path: bench.store, mode: .readOnly)
        defer { store.close() }
        return try store.rows("SELECT hex(name), founded FROM City ORDER BY name").map { row in
            guard case .real(let seconds) = row[1] else { return "\(row)" }
            return "\(row[0]) \(seconds.bitPattern)"
        }
    }
}
