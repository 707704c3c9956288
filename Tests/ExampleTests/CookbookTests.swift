import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct `The cookbook` {
    @Test(arguments: [
        ("create-and-save", "inserted: true changes: true\ninserted: false changes: false\n"),
        ("read", "Ada, Bob\ncount: 2\nthe same object: true\n"),
        ("delete", "deleted: true left: 0\ndeleted: false context: none\n"),
        ("sort-by-two-keys", "52 bob\n36 Ada\n36 Cleo\n"),
        (
            "follow-a-list",
            "insert Bob at 1\nnow: Ada, Bob, Cleo\ndelete from 0\nnow: Bob, Cleo\n"
        ),
        (
            "employees-and-managers",
            "Ada's reports: Bob, Cleo\nCleo's boss: Ada\nAda's projects: Engine, Loom\n"
                + "Ada's reports: Bob - Bob's: Cleo\n"
        ),
        (
            "fetch-in-the-background",
            "faults: true\nEmployee 98, Employee 99, Employee 100\n"
        ),
        (
            "report-by-month",
            "2026-2: 2\n2026-3: 1\n2026-02 Ada, Bob\n2026-03 Cleo\n"
        ),
        (
            "transformable-colour",
            "Zephyr is Color(red: 1.0, green: 0.0, blue: 1.0)\nstored as ff00ff\n"
        ),
        ("three-releases", ContactsStores.story),
    ])
    func `a recipe`(_ name: String, prints output: String) throws {
        let (text, status) = try ExampleProgram("Cookbook").run([name])
        #expect(text == output && status == 0)
    }

    @Test func `an unknown recipe is refused with the names of all`() throws {
        #expect(try ExampleProgram("Cookbook").run(["soup"]).status == 64)
    }
}
