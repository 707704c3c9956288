import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct RecordCommandTests {
    private func filled() throws -> Workbench {
        let bench = try Workbench()
        _ = try bench.run(
            "import", "Country", "-", "--format", "csv", input: "code,name\nFR,France\nDE,Germany\n"
        )
        _ = try bench.run(
            "import", "City", "-", "--format", "csv", "--link", "country=c:Country.code",
            input: "name,people,c\nParis,2102650,FR\nLyon,522250,FR\nBonn,336465,DE\n")
        return bench
    }

    @Test func `init makes a store once`() throws {
        let bench = try Workbench(isMade: false)
        let model = bench.folder.file("Geo.xcdatamodel")
        let run = try ToolRun(["init", bench.store, "--model", model])
        #expect(run.output == "Created \(bench.store) with 3 entities: City, Country, Street.\n")
        let other = bench.folder.file("b.store")
        #expect(
            try ToolRun(["init", other, "--model", model, "--json"]).output
                == "{\"store\":\"\(other)\",\"entities\":[\"City\",\"Country\",\"Street\"]}\n")
        let single = try bench.write(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Note"/></model>
            """, to: "single.xml")
        let small = bench.folder.file("small.store")
        #expect(
            try ToolRun(["init", small, "--model", single]).output
                == "Created \(small) with 1 entity: Note.\n")
        let again = try ToolRun(["init", bench.store, "--model", model])
        #expect(again.status == 73)
        #expect(again.errors.contains("the file exists already"))
        let nowhere = try ToolRun(["init", bench.folder.file("no/b.store"), "--model", model])
        #expect(nowhere.status == 73, "\(nowhere.errors)")
        #expect(try ToolRun(["init", "x.store", "--model", "nothing"]).status == 66)
        let broken = try bench.write("<model><entity name=\"1\"/></model>", to: "broken.xml")
        let refused = try ToolRun(["init", bench.folder.file("c.store"), "--model", broken])
        #expect(refused.status == 65)
        #expect(!FileManager.default.fileExists(atPath: bench.folder.file("c.store")))
    }

    @Test func `fetch shows values of groups`() throws {
        let bench = try filled()
        let run = try bench.run(
            "fetch", "City", "--group-by", "country.name", "--sum", "people", "--max",
            "name,people", "--sort", "-count")
        #expect(
            run.lines == [
                "country.name  count  sum(people)  max(name)  max(people)",
                "France            2      2624900  Paris          2102650",
                "Germany           1       336465  Bonn            336465",
            ])
        let json = try bench.run(
            "fetch", "City", "--group-by", "country", "--avg", "people", "--having", "count == 1",
            "--json")
        #expect(json.lines.count == 1)
        #expect(json.output.contains(#""count":1,"avg(people)":336465.0"#))
        #expect(json.output.hasPrefix(#"{"country":"anabranch://"#))
        #expect(
            try bench.run("fetch", "City", "--group-by", "country", "--count").output == "2\n")
        #expect(
            try bench.run("fetch", "City", "--sum", "people", "--min", "people").lines
                == ["sum(people)  min(people)", "    2961365       336465"])
        let distinct = try bench.run(
            "fetch", "City", "--distinct", "--columns", "country.code", "--sort", "country.code")
        #expect(distinct.lines == ["country.code", "DE", "FR"])
        let empty = try bench.run(
            "fetch", "City", "--group-by", "country.name", "--where", "people < 0")
        #expect(empty.lines == ["country.name  count"])
        let unknown = try bench.run("fetch", "City", "--group-by", "nothing")
        #expect(unknown.errors.hasPrefix("anabranch: Can't find the key 'nothing' because"))
        let wrong = try bench.run(
            "fetch", "City", "--group-by", "country", "--columns", "name")
        #expect(wrong.status == 64 || wrong.status == 65, "\(wrong.errors)")
        #expect(wrong.errors.contains("can differ within a group"))
    }

    @Test func `explain shows the statement, its plan and its cost`() throws {
        let bench = try filled()
        let run = try bench.run("explain", "City", "--where", "people > 400000", "--sort", "name")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.first?.hasPrefix("SELECT t0.ab_pk") == true)
        #expect(run.output.contains("with 400000"))
        #expect(run.output.contains("2 rows found, "))
        let json = try bench.run("explain", "City", "--group-by", "country", "--json")
        #expect(json.output.contains(#""rows":2"#))
        #expect(json.output.contains("GROUP BY"))
    }

    @Test func `explain shows the indexes that a scan lacks, in both forms`() throws {
        let bench = try filled()
        let cities = (0..<1500).map { "c\($0),\($0)\n" }.joined()
        _ = try bench.run(
            "import", "City", "-", "--format", "csv", input: "name,people\n" + cities)
        let prefix = try bench.run("explain", "City", "--where", "name BEGINSWITH 'c77'")
        #expect(prefix.output.contains("An index of City would lead to the rows:"))
        #expect(
            prefix.output.contains(
                #"City: IndexDeclaration("name", on: "name") (in a class: #Index<City>([\.name]))"#)
        )
        let either = "people == 7 OR name == 'c7'"
        let both = try bench.run("explain", "City", "--where", either)
        #expect(both.output.contains("These indexes together would lead to the rows:"))
        #expect(both.output.contains(#"#Index<City>([\.people])"#))
        let json = try bench.run("explain", "City", "--where", either, "--json")
        #expect(json.output.contains(##""macro":"#Index<City>([\\.name])"##))
        let none = try bench.run("explain", "City", "--where", "name CONTAINS '77'")
        #expect(!none.output.contains("index"))
    }

    @Test func `fetch filters, sorts and limits`() throws {
        let bench = try filled()
        let run = try bench.run(
            "fetch", "City", "--where", "country.code == 'FR' AND people > 1000", "--sort",
            "-people", "--columns", "name,people,country.name")
        let lines = run.lines.map { $0.drop { $0 != " " }.drop { $0 == " " } }
        #expect(
            lines == [
                "name    people  country.name", "Paris  2102650  France", "Lyon    522250  France",
            ])
        let json = try bench.run(
            "fetch", "City", "--sort", "name", "--limit", "1", "--offset", "1", "--json")
        #expect(json.lines.count == 1)
        #expect(json.output.contains(#""@entity":"City""#))
        #expect(json.output.contains(#""name":"Lyon""#))
        #expect(try bench.run("fetch", "City", "--count", "--json").output == "{\"count\":3}\n")
    }

    @Test func `insert, update and import refuse alike what the model does not allow`() throws {
        let bench = try Workbench(isMade: false)
        let model = try bench.write(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Person">
            <attribute name="age" optional="YES" attributeType="Integer 32" minValueString="0" \
            maxValueString="200"/>
            <attribute name="code" optional="YES" attributeType="String" minValueString="1" \
            maxValueString="3" regularExpressionString="[a-z]+"/>
            </entity></model>
            """, to: "Person.xml")
        #expect(try ToolRun(["init", bench.store, "--model", model]).status == 0)
        #expect(try bench.run("insert", "Person", "code=a", "age=200").status == 0)
        let refused: [(String, String, String)] = [
            ("age", "201", "'201' is above the model's maximum, which is 200."),
            ("age", "-1", "'-1' is below the model's minimum, which is 0."),
            ("code", "abcd", "longer than the model allows, which is 3 characters."),
            ("code", "A", "doesn't match the regular expression"),
        ]
        for (name, text, reason) in refused {
            let runs = [
                try bench.run("insert", "Person", "\(name)=\(text)"),
                try bench.run("update", "Person", "code=a", "\(name)=\(text)"),
                try bench.run(
                    "import", "Person", "-", "--format", "csv", input: "\(name)\n\(text)\n"),
            ]
            for run in runs {
                #expect(run.status == 65, "\(run.errors)")
                #expect(run.errors.contains(reason), "\(run.errors)")
            }
            #expect(runs[0].errors.contains("Can't set Person.\(name)."))
        }
        #expect(try bench.run("insert", "Person", "code=").errors.contains("shorter"))
        #expect(try bench.run("fetch", "Person", "--count", "--json").output == "{\"count\":1}\n")
        #expect(
            try bench.run("fetch", "Person", "--where", "age == 200", "--count").output == "1\n")
    }

    @Test func `a predicate compares times as texts`() throws {
        let bench = try Workbench()
        _ = try bench.run(
            "import", "City", "-", "--format", "csv",
            input: """
                name,founded
                A,1900-01-01T00:00:00Z
                B,2000-01-01T00:00:00Z
                C,2024-01-01T00:00:00Z

                """)
        func names(_ predicate: String) throws -> [String] {
            let run = try bench.run(
                "fetch", "City", "--where", predicate, "--sort", "name", "--columns", "name",
                "--json")
            #expect(run.status == 0, "\(run.errors)")
            return run.lines.map { String($0.dropLast(2).suffix(1)) }
        }
        #expect(try names("founded > '1999-12-31T23:00:00Z'") == ["B", "C"])
        #expect(try names("'2000-01-01T02:00:00+02:00' == founded") == ["B"])
        #expect(try names("NOT (founded IN {'2000-01-01T00:00:00Z', nil})") == ["A", "C"])
        #expect(
            try names("founded BETWEEN {'1900-01-01T00:00:00Z','2001-01-01T00:00:00Z'}")
                == ["A", "B"])
        _ = try bench.run("update", "City", "name=A", "twins+=name=C")
        #expect(try names("ANY twins.founded > '2020-01-01T00:00:00Z'") == ["A"])
        #expect(
            try names("SUBQUERY(twins, $t, $t.founded > '2020-01-01T00:00:00Z').@count > 0")
                == ["A"])
        let wrong = try bench.run("fetch", "City", "--where", "founded > 'yesterday'")
        #expect(wrong.status == 64)
        #expect(
            wrong.errors.contains("'yesterday' is not a time, as 2024-05-01T12:30:00Z"),
            "\(wrong.errors)")
    }

    @Test func `a record is named by its ID or by an attribute`() throws {
        let bench = try filled()
        let byKey = try bench.run("get", "Country", "code=FR")
        #expect(byKey.status == 0)
        let id = try #require(byKey.lines.first?.split(separator: " ").last)
        let byID = try bench.run("get", "Country", String(id))
        #expect(byID.output == byKey.output)
        let uri = try bench.run("get", "Country", "code=FR", "--json").output
        let object = try JSONSerialization.jsonObject(with: Data(uri.utf8)) as? [String: Any]
        let full = try #require(object?["@id"] as? String)
        #expect(try bench.run("get", "Country", full).output == byKey.output)
    }

    @Test func `insert, update and delete change what they say`() throws {
        let bench = try filled()
        let insert = try bench.run(
            "insert", "City", "name=Metz", "people=121695", "country=code=FR")
        #expect(insert.status == 0, "\(insert.errors)")
        let update = try bench.run("update", "City", "name=Metz", "area=41.94", "twins+=name=Bonn")
        #expect(update.output == "Updated 1 of City.\n")
        let metz = try bench.run(
            "get", "City", "name=Metz", "--json", "--columns", "area,people,twins.name,country.code"
        )
        #expect(
            metz.output.contains(
                #""area":"41.94","people":121695,"twins.name":["Bonn"],"country.code":"FR""#))
        _ = try bench.run("update", "City", "name=Metz", "twins-=name=Bonn", "--null", "country")
        let bare = try bench.run(
            "get", "City", "name=Metz", "--json", "--columns", "twins.name,country.code")
        #expect(bare.output.contains(#""twins.name":[],"country.code":null"#))
        let many = try bench.run(
            "update", "City", "--where", "country.code == 'FR'", "isCapital=true")
        #expect(many.output == "Updated 2 of City.\n")
        #expect(
            try bench.run("delete", "City", "name=Metz", "name=Bonn").output
                == "Deleted 2 of City.\n")
        #expect(
            try bench.run("delete", "City", "--where", "isCapital == YES", "--json").output
                == "{\"deleted\":2}\n")
        #expect(try bench.run("fetch", "City", "--count").output == "0\n")
    }

    @Test func `insert leaves a property without a value if that is said`() throws {
        let bench = try Workbench()
        let standard = try bench.run("insert", "City", "name=A", "--json")
        #expect(standard.output.contains(#""people":0"#))
        let run = try bench.run("insert", "City", "name=B", "--null", "people", "--json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(#""people":null"#), "\(run.output)")
        let stored = try bench.run("get", "City", "name=B", "--json")
        #expect(stored.output.contains(#""people":null"#), "\(stored.output)")
        let unknown = try bench.run("insert", "City", "name=C", "--null", "peple")
        #expect(unknown.status == 64 && unknown.errors.contains("Did you mean people?"))
        for words in [["people=1", "--null", "people"], ["people=1", "people=2"]] {
            let twice = try ToolRun(["insert", bench.store, "City", "name=C"] + words)
            #expect(twice.status == 64 && twice.errors.contains("people is given twice"))
        }
        let mandatory = try bench.run("insert", "City", "--null", "name")
        #expect(mandatory.status == 65, "\(mandatory.errors)")
        #expect(try bench.run("fetch", "City", "--count").output == "2\n")
    }

    @Test func `a denied deletion deletes nothing`() throws {
        let bench = try filled()
        let run = try bench.run("delete", "Country", "code=FR")
        #expect(run.status == 65, "\(run.errors)")
        #expect(try bench.run("fetch", "Country", "--count").output == "2\n")
    }

    @Test func `the log, one change set and the hash are shown`() throws {
        let bench = try filled()
        _ = try ToolRun(["update", bench.store, "City", "name=Bonn", "people=1", "--author", "Ada"])
        let log = try bench.run("log", "--json")
        #expect(log.lines.count == 3)
        #expect(log.lines[2].contains(#""author":"Ada""#))
        #expect(log.lines[2].contains(#""summary":"~1 City (people)""#))
        let table = try bench.run("log", "--limit", "1")
        #expect(table.lines.count == 2)
        let name = try #require(table.lines[1].split(separator: " ").dropFirst().first)
        let shown = try bench.run("show", String(name))
        #expect(shown.output.contains("Author    Ada"))
        #expect(shown.output.contains("Updated 1 record of City:"))
        #expect(try bench.run("show", "3").output == shown.output)
        #expect(try bench.run("show", "99").status == 1)
        #expect(try bench.run("show", "x").status == 64)
        let hash = try bench.run("hash").output
        #expect(hash.count == 65)
        #expect(try bench.run("hash", "--json").output == "{\"hash\":\"\(hash.dropLast())\"}\n")
        #expect(try bench.run("conflicts").output == "The journal is empty.\n")
    }

    @Test func `status counts what is there`() throws {
        let bench = try filled()
        let run = try bench.run("status", "--json")
        #expect(run.output.contains(#""changeSets":2,"vector":""#), "\(run.output)")
        #expect(run.output.contains(#":2","waiting":0,"conflicts":0,"rejected":0,"#))
        #expect(run.output.contains(#""rejected":0,"pendingStage":null,"server":null"#))
        #expect(run.output.contains(#""entities":{"City":3,"Country":2,"Street":0}"#))
        #expect(try bench.run("status").output.contains("Zone          none yet"))
    }

    @Test func `watch shows what is saved meanwhile`() throws {
        let bench = try filled()
        var saved = 0
        let run = try Watcher {
            try bench.run("watch", "--offline", "--count", "1", "--for", "1200", "--json")
        }.end {
            // The watcher begins at the end of the log, so save until it has seen one.
            _ = try bench.run("update", "City", "name=Bonn", "people=\(1000 + saved)")
            saved += 1
        }
        #expect(run.status == 0)
        #expect(run.lines.count == 1)
        #expect(run.output.contains(#""operation":"update","entity":"City""#))
    }

    @Test func `watch shows which records appear, change and disappear`() throws {
        let bench = try filled()
        /// Watches until one set was shown, while records are changed one after another.
        func event(_ words: [String], _ change: (Int) throws -> Void) throws -> Substring? {
            var number = 0
            let run = try Watcher {
                try ToolRun(
                    ["watch", bench.store, "--offline", "--for", "1200", "--count", "1"] + words)
            }.end {
                try change(number)
                number += 1
            }
            #expect(run.status == 0 && run.lines.count == 1, "\(run.errors)")
            return run.lines.first
        }
        let change = try event(
            ["--entity", "City", "--where", "people > 0", "--columns", "name,country.code"]
        ) { _ = try bench.run("update", "City", "name=Bonn", "people=\($0 + 1000)") }
        #expect(change?.contains("~ City ") == true)
        #expect(change?.hasSuffix("name=Bonn  country.code=DE") == true)
        let birth = try event(["--entity", "City", "--where", "people == 7", "--json"]) { _ in
            _ = try bench.run("insert", "City", "name=Village", "people=7")
        }
        #expect(birth?.hasPrefix(#"{"event":"appears","@id":"anabranch://"#) == true)
        #expect(birth?.contains(#""name":"Village""#) == true)
        for number in 0..<30 {
            _ = try bench.run("insert", "City", "name=Town\(number)", "people=9")
        }
        let end = try event(["--entity", "City", "--where", "people == 9"]) { number in
            _ = try bench.run("update", "City", "name=Town\(number % 30)", "people=0")
        }
        #expect(end?.contains("- City ") == true)
        let alone = try bench.run("watch", "--where", "people > 0")
        #expect(alone.status == 64 && alone.errors.contains("--entity"))
    }
}
