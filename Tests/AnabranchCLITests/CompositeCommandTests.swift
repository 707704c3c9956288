import Foundation
import TestSupport
import Testing

/// Tests of the commands for records with composite attributes.
@Suite(.waiting) struct CompositeCommandTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory("composites")
        let model = folder.url.appending(path: "People.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(Self.model.utf8).write(to: model.appending(path: "contents"))
        for name in ["a", "b"] { try run("init", store(name), "--model", model.path) }
    }

    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Person">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="address" optional="YES" attributeType="Composite" composite="Address"/>
        <relationship name="boss" optional="YES" maxCount="1" destinationEntity="Person"/>
        </entity>
        <composite name="Address">
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
        </composite>
        <composite name="Place">
        <attribute name="latitude" attributeType="Double"/>
        <attribute name="longitude" attributeType="Double"/>
        </composite>
        </model>
        """

    private func store(_ name: String) -> String { folder.file("\(name).store") }

    @discardableResult
    private func run(_ words: String...) throws -> ToolRun {
        let run = try ToolRun(words)
        #expect(run.status == 0, "\(words): \(run.errors)")
        return run
    }

    private static let records = """
        {"name":"Ada","address":{"city":"Bern","place":{"latitude":46.9,"longitude":7.4}}}
        {"name":"Bob","address":{"city":"Basel"}}
        {"name":"Cleo","address":null}

        """

    private func importRecords(into name: String) throws {
        let file = folder.file("people.jsonl")
        try Self.records.write(toFile: file, atomically: true, encoding: .utf8)
        try run("import", store(name), "Person", file)
    }

    @Test func `JSON has an object for a composite attribute, and comes back from it`() throws {
        try importRecords(into: "a")
        let columns = "name,address.city,address.place.latitude,address.place.longitude"
        let words = ["export", store("a"), "Person", "--sort", "name", "--columns", columns]
        let lines = try ToolRun(words + ["--format", "jsonl"]).output
        for line in Self.records.split(separator: "\n") {
            let members = line.dropFirst().dropLast()
            let whole = members.replacing(
                #"{"city":"Basel"}"#, with: #"{"city":"Basel","place":null}"#)
            #expect(lines.contains(whole), "\(lines)")
        }
        let table = try ToolRun(words + ["--format", "csv"]).output
        #expect(
            table == """
                \(columns)
                Ada,Bern,46.9,7.4
                Bob,Basel,,
                Cleo,,,

                """)
        let file = folder.file("people.csv")
        try table.write(toFile: file, atomically: true, encoding: .utf8)
        try run("import", store("b"), "Person", file)
        let copied = try ToolRun(
            ["export", store("b"), "Person", "--sort", "name", "--columns", columns]
                + ["--format", "csv"])
        #expect(copied.output == table)
    }

    @Test func `an element is a column, a key to sort by and a value to set`() throws {
        try importRecords(into: "a")
        try run("update", store("a"), "Person", "name=Bob", "address.city=Zug", "boss=name=Ada")
        let found = try run(
            "fetch", store("a"), "Person", "--where", "address.city BEGINSWITH 'Z'", "--columns",
            "name,address.city,boss.address.city"
        ).output
        #expect(found.contains("Zug") && found.contains("Bern") && !found.contains("Ada"))
        let sorted = try run(
            "fetch", store("a"), "Person", "--sort", "-address.city", "--columns", "name"
        ).output
        let places = ["Bob", "Ada", "Cleo"].compactMap { sorted.firstRange(of: $0)?.lowerBound }
        #expect(places.count == 3 && places == places.sorted(), "\(sorted)")
        let refused = try ToolRun(["fetch", store("a"), "Person", "--columns", "address"])
        #expect(refused.status == 64 && refused.errors.contains("address.city"))
    }

    @Test func `an unknown element is refused with its name, and nothing is imported`() throws {
        let file = folder.file("wrong.json")
        try #"[{"name":"Ada","address":{"town":"Bern"}}]"#.write(
            toFile: file, atomically: true, encoding: .utf8)
        let refused = try ToolRun(["import", store("a"), "Person", file])
        #expect(refused.status == 65 && refused.errors.contains("address.town"))
        let incomplete = folder.file("incomplete.json")
        try #"[{"address":{"place":{"latitude":1}}}]"#.write(
            toFile: incomplete, atomically: true, encoding: .utf8)
        let second = try ToolRun(["import", store("a"), "Person", incomplete])
        #expect(second.status == 65 && second.errors.contains("address.place.longitude"))
    }

    @Test func `a model is shown with its composite attributes`() throws {
        let text = try run("model", "show", store("a")).output
        #expect(text.contains("address.place.latitude") && text.contains("composite address: "))
        let json = try run("model", "show", store("a"), "--json").output
        #expect(json.contains(#""compositeAttributes":[{"name":"address","type":"Address""#))
    }
}
