import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct ModelCommandTests {
    private let bench: Workbench
    private var model: String { bench.folder.file("Geo.xcdatamodel") }

    init() throws { bench = try Workbench() }

    /// Writes a version in which texts of the bench's model are replaced.
    private func version(_ name: String, _ replacements: (String, String)...) throws -> String {
        let package = bench.folder.url.appending(path: "Shop.xcdatamodeld")
        let folder = package.appending(path: "\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var text = Workbench.model
        for (old, new) in replacements {
            #expect(text.contains(old))
            text = text.replacingOccurrences(of: old, with: new)
        }
        try Data(text.utf8).write(to: folder.appending(path: "contents"))
        return package.path
    }

    private func setCurrent(_ name: String) throws {
        let list = ["_XCCurrentVersionName": "\(name).xcdatamodel"]
        let data = try PropertyListSerialization.data(
            fromPropertyList: list, format: .xml, options: 0)
        try data.write(
            to: bench.folder.url.appending(path: "Shop.xcdatamodeld/.xccurrentversion"))
    }

    // MARK: - Check

    @Test func `a check lists the warnings and errors of every version with their lines`() throws {
        let package = try version(
            "Shop", (" inverseName=\"twins\" inverseEntity=\"City\"", ""))
        _ = try version(
            "Shop 2", ("attributeType=\"Decimal\"", "attributeType=\"Money\""),
            ("<constraint value=\"code\"/>", "<constraint value=\"cod\"/>"))
        try setCurrent("Shop")
        let run = try ToolRun(["model", "check", package])
        #expect(run.status == 65)
        #expect(run.errors == "anabranch: Can't use 1 of 2 versions of \(package).\n")
        let warning = try #require(run.lines.first)
        #expect(warning.hasPrefix("\(package)/Shop.xcdatamodel/contents:12: warning: "))
        #expect(warning.hasSuffix("(missing-inverse)"))
        #expect(run.lines.contains("Shop (current): 3 entities, 1 warning"))
        #expect(run.lines.contains("Shop 2: refused with 2 errors"))
        #expect(
            run.output.contains(
                "\(package)/Shop 2.xcdatamodel/contents:4: error: Can't use attribute City.area"),
            "\(run.output)")
        let current = try ToolRun(["model", "check", package, "--model-version", "Shop"])
        #expect(current.status == 0 && current.lines.count == 2)
    }

    @Test func `a check as JSON has one object for each version`() throws {
        let package = try version("Shop", ("<entity name=\"City\"", "<entity name=\"1City\""))
        let run = try ToolRun(["model", "check", package, "--json"])
        #expect(run.status == 65 && run.lines.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        let finding = try #require(object as? [String: Any])
        #expect(finding["version"] as? String == "Shop")
        #expect(finding["isUsable"] as? Bool == false)
        let errors = try #require(finding["errors"] as? [[String: Any]])
        let places = errors.map { ($0["entity"] as? String, $0["line"] as? Int) }
        #expect(places.contains { $0.0 == "1City" && $0.1 == 3 })
    }

    @Test func `a check of several versions without a current one says so`() throws {
        let package = try version("Shop")
        _ = try version("Shop 2")
        let run = try ToolRun(["model", "check", package])
        #expect(run.status == 65)
        #expect(run.output.contains("(no-current-version)"))
        #expect(run.lines.contains("Shop 2: 3 entities, no warnings"))
        #expect(try ToolRun(["model", "check", "none.xcdatamodel"]).status == 66)
        let compiled = try bench.write("bplist00", to: "Geo.mom")
        #expect(try ToolRun(["model", "check", compiled]).status == 65)
    }

    // MARK: - Show

    @Test func `a model file and its store show the same`() throws {
        let file = try ToolRun(["model", "show", model])
        let store = try ToolRun(["model", "show", bench.store])
        #expect(file.status == 0 && store.status == 0, "\(store.errors)")
        #expect(file.output == store.output)
        #expect(
            file.output.hasPrefix(
                """
                City
                PROPERTY   TYPE            SETTINGS
                area       decimal         optional
                founded    date            optional
                isCapital  boolean         optional
                name       string
                people     integer32       optional, default 0
                seal       binary          optional
                country    to one Country  optional, inverse Country.cities, on delete nullify
                streets    to many Street  optional, inverse Street.city, on delete cascade
                twins      to many City    optional, inverse City.twins, on delete nullify

                Country
                """), "\(file.output)")
        #expect(file.output.contains("unique: code\n"))
    }

    @Test func `a model as JSON has one object for each entity`() throws {
        let run = try ToolRun(["model", "show", bench.store, "--json"])
        let entities = try run.lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
        #expect(entities.map { $0["entity"] as? String } == ["City", "Country", "Street"])
        let relationships = try #require(entities[0]["relationships"] as? [[String: Any]])
        let country = try #require(relationships.first { $0["name"] as? String == "country" })
        #expect(country["destination"] as? String == "Country")
        #expect(country["inverse"] as? String == "cities")
        #expect(country["deleteRule"] as? String == "nullify")
        #expect(entities[1]["uniquenessConstraints"] as? [[String]] == [["code"]])
    }

    @Test func `the version of a store or a missing one is refused`() throws {
        let store = try ToolRun(["model", "show", bench.store, "--model-version", "1"])
        #expect(store.status == 64 && store.errors.contains("is a store"))
        let package = try version("Shop")
        let other = try ToolRun(["model", "show", package, "--model-version", "2"])
        #expect(other.status == 65 && other.errors.contains("it has: Shop.xcdatamodel"))
        #expect(try ToolRun(["model", "show", "none.store"]).status == 66)
    }

    // MARK: - Write

    @Test func `the model of a store is written as a file that opens the store`() throws {
        let output = bench.folder.file("Written.xcdatamodeld/Written.xcdatamodel")
        let run = try ToolRun(["model", "write", bench.store, "--output", output])
        #expect(run.status == 0 && run.output == "Wrote \(output) with 3 entities.\n")
        let difference = try ToolRun(["model", "diff", bench.store, output])
        #expect(difference.output == "The models are equal.\n")
        let package = bench.folder.file("Written.xcdatamodeld")
        #expect(try ToolRun(["model", "diff", model, package]).output == difference.output)
        let again = try ToolRun(["model", "write", bench.store, "--output", output])
        #expect(again.status == 73 && again.errors.contains("exists already"))
        let unnamed = try ToolRun(["model", "write", bench.store, "--output", "Geo"])
        #expect(unnamed.status == 64 && unnamed.errors.contains("NAME.xcdatamodel"))
    }

    // MARK: - Diff

    @Test func `a difference lists the changes and settings, and that a migration is inferred`()
        throws
    {
        let package = try version("Shop")
        _ = try version(
            "Shop 2", ("name=\"people\"", "name=\"inhabitants\" elementID=\"people\""),
            ("defaultValueString=\"0\"", "defaultValueString=\"1\""),
            ("<attribute name=\"seal\" optional=\"YES\" attributeType=\"Binary\"/>", ""),
            ("deletionRule=\"Deny\"", "deletionRule=\"Cascade\""))
        try setCurrent("Shop 2")
        let run = try ToolRun(["model", "diff", package, "--from-version", "Shop"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.lines.map(String.init) == [
                "From \(package), version Shop", "to \(package):",
                "  attribute City.people renamed to inhabitants",
                "  attribute City.seal removed",
                "  City.inhabitants: default 0 → 1",
                "  Country.cities: delete rule deny → cascade",
                "A migration can be inferred.",
            ])
        let store = try ToolRun(["model", "diff", bench.store, package, "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(store.output.utf8))
        let difference = try #require(object as? [String: Any])
        #expect(difference["isInferable"] as? Bool == true)
        #expect((difference["changes"] as? [String])?.count == 2)
        #expect((difference["settings"] as? [[String: Any]])?.count == 2)
    }

    @Test func `a difference of settings alone needs no migration`() throws {
        let package = try version(
            "Shop", ("defaultValueString=\"0\"", "defaultValueString=\"1\""),
            ("</model>", "<fetchRequest name=\"all\" entity=\"City\"/></model>"))
        let run = try ToolRun(["model", "diff", model, package])
        #expect(run.status == 0)
        #expect(
            run.lines.dropFirst(2).map(String.init) == [
                "  fetch request templates none → all of City",
                "  City.people: default 0 → 1",
                "A store of the one opens with the other, without a migration.",
            ], "\(run.output)")
    }

    @Test func `a relationship that becomes transient is listed as such`() throws {
        let twins = "<relationship name=\"twins\" optional=\"YES\" "
        let package = try version("Shop", (twins, twins + "transient=\"YES\" "))
        let run = try ToolRun(["model", "diff", bench.store, package])
        #expect(run.status == 0)
        #expect(run.output.contains("City.twins made transient\n"), "\(run.output)")
        let shown = try ToolRun(["model", "show", package, "--json"])
        #expect(shown.output.contains("\"isTransient\":true"), "\(shown.output)")
    }

    @Test func `a difference that no migration bridges ends with 65 and the reasons`() throws {
        let package = try version(
            "Shop", ("<entity name=\"City\" ", "<entity name=\"City\" isAbstract=\"YES\" "),
            ("attributeType=\"Integer 32\"", "attributeType=\"Binary\""),
            (" defaultValueString=\"0\"", ""))
        let run = try ToolRun(["model", "diff", bench.store, package])
        #expect(run.status == 65)
        #expect(run.lines.last == "No migration can be inferred.")
        #expect(run.output.contains("  entity City made abstract\n"), "\(run.output)")
        #expect(run.output.contains("  City.people: type integer32 → binary\n"))
        #expect(run.errors.contains("City.people because its type changes"))
        let json = try ToolRun(["model", "diff", bench.store, package, "--json"])
        #expect(json.status == 65 && json.output.contains("\"isInferable\":false"))
        #expect(json.output.contains("\"property\":\"people\",\"message\":\"Can't migrate"))
    }

    @Test func `a change of an inherited property is listed once, and a moved one as moved`() throws
    {
        func text(_ upper: String, _ lower: String) -> String {
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Place">\(upper)</entity>
            <entity name="Town" parentEntity="Place">\(lower)</entity>
            <entity name="Village" parentEntity="Place"/></model>
            """
        }
        func attribute(_ name: String, _ rest: String = "") -> String {
            "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"\(rest)/>"
        }
        let old = try Workbench(
            isMade: false, model: text(attribute("a") + attribute("b"), attribute("c")))
        let new = try Workbench(
            isMade: false,
            model: text(attribute("d", " elementID=\"a\"") + attribute("c"), attribute("b")))
        let run = try ToolRun(
            ["model", "diff"] + [old, new].map { $0.folder.file("Geo.xcdatamodel") })
        #expect(
            run.lines.dropFirst(2).map(String.init) == [
                "  attribute c moved up from Town to Place",
                "  attribute Place.a renamed to d",
                "  attribute b moved down from Place to Town",
                "A migration can be inferred.",
            ], "\(run.output)")
    }

    @Test func `a difference needs two models`() throws {
        let run = try ToolRun(["model", "diff", model])
        #expect(run.status == 64 && run.errors.contains("--from-version NAME"))
        #expect(try ToolRun(["model", "dif", model]).status == 64)
    }
}
