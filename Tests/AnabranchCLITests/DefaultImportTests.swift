import Foundation
import TestSupport
import Testing

/// Tests of imports into attributes with defaults: an empty field is a missing value.
@Suite(.waiting) struct DefaultImportTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory("defaults")
        let model = folder.url.appending(path: "People.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(Self.model.utf8).write(to: model.appending(path: "contents"))
        let run = try ToolRun(["init", store, "--model", model.path])
        #expect(run.status == 0, "\(run.errors)")
    }

    private var store: String { folder.file("a.store") }

    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Person">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="first" optional="YES" attributeType="Integer 16" defaultValueString="7">
        <userInfo><entry key="anabranch.mergeRule" value="firstWriter"/></userInfo></attribute>
        <attribute name="low" optional="YES" attributeType="Integer 16" defaultValueString="1">
        <userInfo><entry key="anabranch.mergeGroup" value="range"/></userInfo></attribute>
        <attribute name="address" optional="YES" attributeType="Composite" composite="Address"/>
        </entity>
        <composite name="Address">
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="country" optional="YES" attributeType="String" defaultValueString="CH"/>
        </composite>
        </model>
        """

    private static let columns = "name,first,low,address.city,address.country"

    /// Imports a table, and exports all columns again.
    private func imported(_ table: String) throws -> String {
        let file = folder.file("people.csv")
        try table.write(toFile: file, atomically: true, encoding: .utf8)
        let run = try ToolRun(["import", store, "Person", file])
        #expect(run.status == 0, "\(run.errors)")
        return try ToolRun(
            ["export", store, "Person", "--sort", "name", "--columns", Self.columns]
                + ["--format", "csv"]
        ).output
    }

    @Test func `an empty field is no value, whatever the default is`() throws {
        let table = """
            \(Self.columns)
            Ada,,,,
            Bob,3,4,Bern,
            Cleo,,,,AT

            """
        #expect(try imported(table) == table)
    }

    @Test func `a column that is not there leaves the default`() throws {
        let table = """
            name,address.city
            Ada,
            Bob,Bern

            """
        #expect(
            try imported(table) == """
                \(Self.columns)
                Ada,7,1,,
                Bob,7,1,Bern,CH

                """)
    }
}
