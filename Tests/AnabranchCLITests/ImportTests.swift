import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct ImportTests {
    @Test func `a table fills attributes by name and links by key`() throws {
        let bench = try Workbench()
        let countries = try bench.write(
            "code,name\r\nFR,France\r\nDE,\"Deutschland\"\r\n", to: "c.csv")
        let run = try bench.run("import", "Country", countries)
        #expect(run.output == "Country: 2 inserted, in 1 save.\n")
        let cities = try bench.write(
            """
            name,PEOPLE,is_capital,area,founded,seal,country
            Paris,2102650,yes,105.40,0250-01-01,AAECAw==,FR
            "Aachen
            (Aix)",252136,no,160.85,,,DE
            Nowhere,,,,,,

            """, to: "cities.csv")
        let second = try bench.run(
            "import", "City", cities, "--link", "country=country:Country.code")
        #expect(second.status == 0, "\(second.errors)")
        let got = try bench.run(
            "fetch", "City", "--sort", "name", "--json", "--columns",
            "name,people,isCapital,area,founded,seal,country.code")
        #expect(got.lines.count == 3)
        #expect(got.lines[0].contains(#""name":"Aachen\n(Aix)","people":252136,"isCapital":false"#))
        #expect(got.lines[1].contains(#""people":null"#))
        #expect(
            got.lines[2].contains(
                #""area":"105.4","founded":"0250-01-01T00:00:00Z","#
                    + #""seal":"AAECAw==","country.code":"FR"}"#
            ))
    }

    @Test func `a column of an attribute that is not stored is refused or skipped`() throws {
        let derived = #"attributeType="String" derived="YES" derivationExpression="name""#
        let model = Workbench.model.replacing(
            #"<entity name="Street" syncable="YES">"#,
            with: #"<entity name="Street" syncable="YES"><attribute name="label" optional="YES" "#
                + derived + #"/><attribute name="note" optional="YES" transient="YES" "#
                + #"attributeType="String"/>"#)
        let bench = try Workbench(model: model)
        for name in ["label", "note"] {
            let file = try bench.write("name,\(name)\nRue,x\n", to: "c.csv")
            let refused = try bench.run("import", "Street", file)
            #expect(refused.status == 65, "\(refused.errors)")
            #expect(
                refused.errors.contains(
                    "Street.\(name) is not a stored attribute. Type --skip-unknown"),
                "\(refused.errors)")
            // The city of a street is mandatory, so the rows are read and then refused.
            let skipped = try bench.run("import", "Street", file, "--skip-unknown")
            #expect(!skipped.errors.contains("\(name)"), "\(skipped.errors)")
        }
    }

    @Test func `a broken row is named by line and field and nothing is written`() throws {
        let bench = try Workbench()
        var text = "name,people\n"
        for number in 1...300 { text += "City \(number),\(number == 250 ? "many" : "\(number)")\n" }
        let file = try bench.write(text, to: "cities.csv")
        let run = try bench.run("import", "City", file, "--batch", "100")
        #expect(run.status == 65)
        #expect(
            run.errors == """
                anabranch: \(file):251:10: field 'people': 'many' is not a whole number from \
                -2147483648 to 2147483647.
                Nothing was written.

                """)
        #expect(try bench.run("fetch", "City", "--count").output == "0\n")
    }

    @Test func `an error in standard input keeps the batches before it and says how many`() throws {
        let bench = try Workbench()
        var text = "name,people\n"
        for number in 1...25 { text += "City \(number),\(number == 22 ? "x" : "1")\n" }
        let run = try bench.run(
            "import", "City", "-", "--format", "csv", "--batch", "10", input: text)
        #expect(run.status == 65)
        #expect(run.errors.contains("standard input:23:9: field 'people'"))
        #expect(
            run.errors.contains("The first 20 rows were written, in 2 saves; nothing after them."))
        #expect(try bench.run("fetch", "City", "--count").output == "20\n")
    }

    @Test(arguments: [
        (
            "name,people\nA,1\nB\n",
            ":3:1: The row has 1 fields where the first line names 2 columns. Type --pad-rows"
        ),
        ("name,people\nA,\"1\n", ":2:3: The quote that opens here is never closed."),
        ("name,peple\nA,1\n", "--map peple=people"),
        ("name,country\nA,FR\n", "--link country=country:Country.ATTRIBUTE"),
        ("people\n1\n", ":2:1: field 'name': City requires a value here"),
        ("name\n\n\n,\n", ":4:1: The row has 2 fields"),
        ("", "The input is empty"),
    ])
    func `an error in a table is reported, and nothing is written`(text: String, expected: String)
        throws
    {
        let bench = try Workbench()
        let run = try bench.run("import", "City", try bench.write(text, to: "x.csv"))
        #expect(run.status == 65)
        #expect(run.errors.contains(expected), "\(run.errors)")
        #expect(run.errors.contains("Nothing was written."))
        #expect(try bench.run("log", "--json").output.isEmpty)
    }

    @Test(.longest, arguments: ["csv", "json"])
    func `a value of 70 MiB is imported`(format: String) throws {
        let bench = try Workbench()
        let value = String(repeating: "x", count: 70 << 20)
        let text = format == "csv" ? "name\n\(value)\n" : "[{\"name\":\"\(value)\"}]"
        let run = try bench.run("import", "City", try bench.write(text, to: "big.\(format)"))
        #expect(run.status == 0, "\(run.errors)")
        let export = try bench.run("export", "City", "--columns", "name", "--format", "csv")
        #expect(export.output == "name\n\(value)\n")
    }

    @Test func `a key updates what is there`() throws {
        let bench = try Workbench()
        let first = try bench.write("[{\"code\":\"FR\",\"name\":\"Frankreich\"}]", to: "a.json")
        _ = try bench.run("import", "Country", first, "--key", "code")
        let second = try bench.write(
            "{\"code\":\"FR\",\"name\":\"France\"}\n{\"code\":\"DE\",\"name\":null}\n",
            to: "b.jsonl")
        let run = try bench.run("import", "Country", second, "--key", "code", "--json")
        #expect(
            run.output
                == #"{"rows":2,"inserted":1,"updated":1,"missingLinks":0,"saves":1,"#
                + #""timesWithoutZone":0}"# + "\n")
        #expect(try bench.run("fetch", "Country", "--count").output == "2\n")
        let again = try bench.run("import", "Country", second, "--key", "code")
        #expect(again.output == "Country: 0 inserted, 2 updated, in 0 saves.\n")
    }

    @Test func `two rows with one unique key are refused and nothing is written`() throws {
        let bench = try Workbench()
        let file = try bench.write("code\nFR\nDE\nFR\n", to: "c.csv")
        let run = try bench.run("import", "Country", file, "--batch", "1")
        #expect(run.status == 65)
        #expect(
            run.errors.contains(
                "c.csv:4:1: field 'code': The value must be unique among all records of "
                    + "Country. The row in line 2 has the same value.\nNothing was written."),
            "\(run.errors)")
        #expect(try bench.run("fetch", "Country", "--count").output == "0\n")
        let fine = try bench.write("code\nFR\n", to: "d.csv")
        _ = try bench.run("import", "Country", fine)
        let again = try bench.write("code\nIT\nFR\n", to: "e.csv")
        let refused = try bench.run("import", "Country", again, "--batch", "1")
        #expect(refused.errors.contains("e.csv:3:1: field 'code'"), "\(refused.errors)")
        #expect(refused.errors.contains("The store already has a Country with the same value."))
        #expect(try bench.run("fetch", "Country", "--count").output == "1\n")
        let piped = try bench.run(
            "import", "Country", "-", "--format", "csv", input: "code\nES\nES\n")
        #expect(piped.errors.contains("lines 2 to 3 can't be saved"), "\(piped.errors)")
    }

    @Test func `of several rows with used keys the first one is reported`() throws {
        let bench = try Workbench()
        let codes = (1...3000).map { "C\($0)" } + ["C7", "C2000", "C9"]
        let file = try bench.write("code\n" + codes.joined(separator: "\n") + "\n", to: "c.csv")
        let run = try bench.run("import", "Country", file)
        #expect(
            run.errors.contains("c.csv:3002:1: field 'code'")
                && run.errors.contains("The row in line 8 has the same value."), "\(run.errors)")
    }

    @Test func `the first row of a key has to be complete`() throws {
        let bench = try Workbench()
        let lines = ["{\"people\":1,\"name\":\"A\"}", "{\"people\":2}", "{\"people\":1}"]
        let complete = ["{\"people\":2,\"name\":\"B\"}"]
        func run(_ lines: [String]) throws -> ToolRun {
            let file = try bench.write(lines.joined(separator: "\n"), to: "c.jsonl")
            return try bench.run("import", "City", file, "--key", "people", "--batch", "1")
        }
        let refused = try run(lines + complete)
        #expect(
            refused.errors.contains(
                "c.jsonl:2:1: field 'name': City requires a value here, but the row has none."),
            "\(refused.errors)")
        #expect(refused.errors.contains("Nothing was written."))
        #expect(try run(complete + lines).output == "City: 2 inserted, 2 updated, in 2 saves.\n")
    }

    @Test func `rows are saved together by their number and their size`() throws {
        let bench = try Workbench()
        let small = (1...12_000).map { "A\($0)\n" }.joined()
        let many = try bench.run("import", "City", try bench.write("name\n" + small, to: "a.csv"))
        #expect(many.output == "City: 12000 inserted, in 1 save.\n")
        let text = String(repeating: "x", count: 1 << 20)
        let large = (1...20).map { "\($0)\(text)\n" }.joined()
        let few = try bench.run("import", "City", try bench.write("name\n" + large, to: "b.csv"))
        #expect(few.output == "City: 20 inserted, in 3 saves.\n", "\(few.errors)")
    }

    @Test func `a refused file leaves the store as it was`() throws {
        let bench = try Workbench()
        _ = try bench.run("import", "Country", try bench.write("code\nFR\n", to: "a.csv"))
        let before = try Data(contentsOf: URL(filePath: bench.store))
        let file = try bench.write("code\nDE\nIT\nDE\n", to: "b.csv")
        #expect(try bench.run("import", "Country", file, "--batch", "1").status == 65)
        #expect(try Data(contentsOf: URL(filePath: bench.store)) == before)
    }

    @Test func `two columns of one attribute are refused`() throws {
        let bench = try Workbench()
        let table = try bench.run(
            "import", "City", try bench.write("name,Name\nA,B\n", to: "c.csv"))
        #expect(table.status == 65)
        #expect(
            table.errors.contains("c.csv:2:3: field 'Name': Another column fills name already."),
            "\(table.errors)")
        let object = try bench.run(
            "import", "City", try bench.write("{\"town\":\"A\",\"name\":\"B\"}", to: "c.json"),
            "--map", "town=name")
        #expect(object.errors.contains("c.json:1:20: field 'name': Another column fills name"))
    }

    @Test func `a row may add to what an earlier batch makes`() throws {
        let bench = try Workbench()
        let file = try bench.write(
            "{\"people\":1,\"name\":\"A\"}\n{\"people\":1,\"area\":\"2\"}\n", to: "c.jsonl")
        let run = try bench.run("import", "City", file, "--key", "people", "--batch", "1")
        #expect(run.output == "City: 1 inserted, 1 updated, in 2 saves.\n", "\(run.errors)")
    }

    @Test func `a row without a mandatory link is refused before anything is written`() throws {
        let bench = try Workbench()
        _ = try bench.run("insert", "Country", "code=FR")
        let link = ["--link", "city=city:City.name", "--batch", "1"]
        _ = try bench.run("insert", "City", "name=Paris")
        func refusal(_ text: String, _ words: [String]) throws -> String {
            let file = try bench.write(text, to: "s.csv")
            let run = try ToolRun(["import", bench.store, "Street", file] + words)
            #expect(run.status == 65)
            #expect(try bench.run("fetch", "Street", "--count").output == "0\n")
            return run.errors
        }
        let empty = try refusal("name,city\nA,Paris\nB,\n", link)
        #expect(empty.contains("s.csv:3:3: field 'city': Street must refer to a record of City"))
        #expect(empty.contains("Nothing was written."))
        let unnamed = try refusal("name\nA\n", [])
        #expect(unnamed.contains("s.csv:2:1: field 'city'"), "\(unnamed)")
        #expect(unnamed.contains("--link city=COLUMN:City.ATTRIBUTE"))
        let file = try bench.write("name,city\nA,Rome\n", to: "t.csv")
        let allowed = try ToolRun(
            ["import", bench.store, "Street", file, "--allow-missing", "city"] + link)
        #expect(allowed.status == 64)
        #expect(allowed.errors.contains("the model makes it mandatory"))
    }

    @Test func `links point to earlier and later rows of the same file`() throws {
        let bench = try Workbench()
        let file = try bench.write(
            "name,twins\nParis,Rome\nRome,\nBerlin,Paris;Rome\n", to: "t.csv")
        let run = try bench.run(
            "import", "City", file, "--link", "twins=twins:City.name", "--batch", "1")
        #expect(run.status == 0, "\(run.errors)")
        let got = try bench.run("get", "City", "name=Rome", "--columns", "twins.name", "--json")
        #expect(got.output.contains("Paris") && got.output.contains("Berlin"))
    }

    @Test func `a link to nothing is refused unless it is allowed`() throws {
        let bench = try Workbench()
        let file = try bench.write("name,country\nParis,FR\n", to: "t.csv")
        let link = ["--link", "country=country:Country.code"]
        let refused = try ToolRun(["import", bench.store, "City", file] + link)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("t.csv:2:7: field 'country': No Country has 'FR' as code."))
        let missing = try bench.write("name,twins\nParis,Rome\n", to: "m.csv")
        let self2 = try bench.run("import", "City", missing, "--link", "twins=twins:City.name")
        #expect(self2.status == 65)
        #expect(self2.errors.contains("m.csv:2:7: field 'twins': No City has 'Rome' as name."))
        #expect(self2.errors.contains("Nothing was written."))
        let allowed = try ToolRun(
            ["import", bench.store, "City", file, "--allow-missing", "country"] + link)
        #expect(allowed.output == "City: 1 inserted, 1 links left empty, in 1 save.\n")
    }

    @Test(arguments: ["csv", "json", "jsonl"])
    func `exported records can be imported into another store`(format: String) throws {
        let bench = try Workbench()
        let text =
            #"[{"code":"FR","name":"a \"quoted\", name"},{"code":"DE","name":""},{"code":"IT"}]"#
        _ = try bench.run("import", "Country", try bench.write(text, to: "c.json"))
        _ = try bench.run(
            "import", "City", "-", "--format", "csv", "--link", "country=c:Country.code",
            "--map", "f=founded",
            input: "name,c,f,area\nParis,FR,2001-02-03T04:05:06.789Z,0.10\nBonn,DE,,1e30\nX,,,\n")
        let other = try Workbench()
        let columns = ["City": "name,founded,area,country.code", "Country": "code,name"]
        for entity in ["Country", "City"] {
            let output = try bench.run(
                "export", entity, "--format", format, "--columns", columns[entity] ?? ""
            ).output
            let file = try other.write(output, to: "x.\(format)")
            let link =
                entity == "City" ? ["--link", "country=country.code:Country.code"] : []
            let run = try ToolRun(["import", other.store, entity, file] + link)
            #expect(run.status == 0, "\(run.errors)")
        }
        for entity in ["Country", "City"] {
            let words = ["--format", "csv", "--sort", "name", "--columns", columns[entity] ?? ""]
            let first = try ToolRun(["export", bench.store, entity] + words).output
            let second = try ToolRun(["export", other.store, entity] + words).output
            #expect(first == second)
            #expect(first.split(separator: "\n").count == 4)
        }
    }

    @Test func `a row of no value is a row of a table of one column`() throws {
        let bench = try Workbench()
        _ = try bench.run(
            "import", "City", "-", "--format", "csv", input: "name,people\nA,\nB,2\nC,\n")
        _ = try bench.run("update", "City", "--where", "people == 0", "--null", "people")
        let output = try bench.run(
            "export", "City", "--format", "csv", "--sort", "name", "--columns", "people"
        ).output
        #expect(output == "people\n\"\"\n2\n\"\"\n")
        let other = try Workbench()
        let street = try other.run("import", "City", "-", "--format", "csv", input: output)
        // A city needs a name. The error for the street shows that the city in the first row was
        // valid.
        #expect(street.status == 65 && street.errors.contains(":2:"), "\(street.errors)")
    }

    @Test func `keys with a semicolon come back by another separator`() throws {
        let bench = try Workbench()
        _ = try bench.run(
            "import", "City", "-", "--format", "csv", input: "name\nA;1\nB;2\nC\n")
        _ = try bench.run("update", "City", "name=C", "twins+=name=A;1", "twins+=name=B;2")
        let words = ["City", "--format", "csv", "--columns", "name,twins.name"]
        let refused = try ToolRun(["export", bench.store] + words)
        #expect(refused.status == 65, "\(refused.errors)")
        #expect(refused.errors.contains("has a ';' in it"), "\(refused.errors)")
        #expect(refused.errors.contains("--separator"))
        let output = try ToolRun(["export", bench.store] + words + ["--separator", "|"]).output
        let other = try Workbench()
        let run = try other.run(
            "import", "City", "-", "--format", "csv", "--separator", "|", "--link",
            "twins=twins.name:City.name", input: output)
        #expect(run.status == 0, "\(run.errors)")
        let twins = try other.run(
            "get", "City", "name=C", "--json", "--columns", "twins.name"
        ).output
        #expect(twins.contains("\"A;1\"") && twins.contains("\"B;2\""), "\(twins)")
        #expect(try ToolRun(["export", bench.store, "City", "--separator", "ab"]).status == 64)
    }
}
