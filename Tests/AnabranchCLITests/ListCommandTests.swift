import Foundation
import TestSupport
import Testing

/// Tests that the command line keeps the order of ordered relationships.
@Suite(.waiting) struct ListCommandTests {
    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Stop" syncable="YES">
                <attribute name="name" attributeType="String"/>
                <relationship name="line" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Line" inverseName="stops" inverseEntity="Line"/>
                <relationship name="next" optional="YES" toMany="YES" ordered="YES" \
        deletionRule="Nullify" destinationEntity="Stop"/>
            </entity>
            <entity name="Line" syncable="YES">
                <attribute name="name" attributeType="String"/>
                <relationship name="stops" optional="YES" toMany="YES" ordered="YES" \
        deletionRule="Nullify" destinationEntity="Stop" inverseName="line" \
        inverseEntity="Stop"/>
            </entity>
        </model>
        """

    @Test func `imports, shows and exports lists in their order`() throws {
        let bench = try Workbench(model: Self.model)
        let stops = try bench.write(
            """
            {"name": "A", "next": ["C", "B", "A", "D"]}
            {"name": "B", "next": ["A", "B"]}
            {"name": "C"}
            {"name": "D"}

            """, to: "stops.jsonl")
        let run = try bench.run("import", "Stop", stops, "--link", "next=next:Stop.name")
        #expect(run.status == 0, "\(run.errors)")
        // This order is not that of the records.
        let line = try bench.write(
            """
            {"name": "1", "stops": ["D", "A", "C"]}

            """, to: "lines.jsonl")
        let second = try bench.run("import", "Line", line, "--link", "stops=stops:Stop.name")
        #expect(second.status == 0, "\(second.errors)")
        let next = try bench.run(
            "fetch", "Stop", "--sort", "name", "--json", "--columns", "name,next.name")
        #expect(next.lines.first?.contains(#"["C","B","A","D"]"#) == true, "\(next.output)")
        #expect(next.lines.dropFirst().first?.contains(#"["A","B"]"#) == true, "\(next.output)")
        let shown = try bench.run("fetch", "Line", "--json", "--columns", "stops.name")
        #expect(shown.output.contains(#"["D","A","C"]"#), "\(shown.output)")
        let exported = try bench.run("export", "Line", "--columns", "name,stops.name")
        #expect(exported.output.contains(#""D","A","C""#), "\(exported.output)")
    }
}
