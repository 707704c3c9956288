import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct StatusCommandTests {
    /// While another process has the store open, SQLite leaves what is saved in the `-wal` file.
    @Test func `the size counts what is still in the write-ahead log`() throws {
        let bench = try Workbench()
        let connection = try Connection(path: bench.store)
        defer { connection.close() }
        _ = try connection.firstValue("SELECT count(*) FROM sqlite_master")
        for name in 0..<3 {
            let text = String(repeating: "x", count: 100_000)
            #expect(try bench.run("insert", "City", "name=\(name)\(text)").status == 0)
        }
        let sizes = try ["", "-wal", "-shm"].map { suffix in
            let path = bench.store + suffix
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return (attributes[.size] as? NSNumber)?.int64Value ?? 0
        }
        #expect(sizes[1] > 300_000, "the content is not in the -wal file")
        let json = try bench.run("status", "--json").output
        #expect(json.contains("\"byteCount\":\(sizes.reduce(0, +))"), "\(json)")
    }

    @Test func `a large table is estimated unless it should be counted`() throws {
        let bench = try Workbench()
        let file = bench.folder.file("cities.csv")
        let rows = (1...10_500).map { "City \($0)" }
        try (["name"] + rows).joined(separator: "\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try bench.run("import", "City", file).status == 0)
        #expect(try bench.run("status").output.contains("about 10500"))
        let json = try bench.run("status", "--json").output
        #expect(json.contains(#""estimated":["City"]"#), "\(json)")
        let exact = try bench.run("status", "--exact").output
        #expect(exact.contains("10500") && !exact.contains("about"), "\(exact)")
    }
}
