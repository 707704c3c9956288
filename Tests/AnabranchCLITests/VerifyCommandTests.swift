import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct VerifyCommandTests {
    private static func damage(_ path: String, _ sql: String) throws {
        let connection = try Connection(path: path)
        defer { connection.close() }
        try connection.execute(sql)
        #expect(connection.changes > 0)
    }

    /// Changes the codes of all countries, and puts back the page that an index had before. Its
    /// entries must fit into one page.
    private static func changeRowsBehindIndex(_ name: String, in path: String) throws {
        let connection = try Connection(path: path)
        let found = try connection.firstValue(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", .text(name))
        let size = try connection.firstValue("PRAGMA page_size")
        try connection.checkpoint(.truncate)
        connection.close()
        guard case .integer(let page)? = found, case .integer(let size)? = size else {
            Issue.record("There is no index \(name).")
            return
        }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        let offset = UInt64((page - 1) * size)
        try file.seek(toOffset: offset)
        let before = try #require(try file.read(upToCount: Int(size)))
        try damage(path, "UPDATE Country SET code = code || 'x'")
        try file.seek(toOffset: offset)
        try file.write(contentsOf: before)
    }

    @Test func `a store without a zone is compared with its own log`() throws {
        let bench = try Workbench()
        _ = try bench.run("insert", "Country", "code=FR", "name=France")
        _ = try bench.run("insert", "Country", "code=DE", "name=Germany")
        _ = try bench.run("update", "Country", "code=FR", "name=Frankreich")
        let right = try bench.run("verify")
        #expect(right.status == 0, "\(right.errors)")
        #expect(
            right.output
                == "File and log are undamaged, and the records agree with the log.\n")
        try Self.damage(bench.store, "UPDATE Country SET name = 'Nowhere' WHERE code = 'DE'")
        let wrong = try bench.run("verify")
        #expect(wrong.status == 65)
        #expect(wrong.lines.first == "1 record differs from the log.")
        #expect(wrong.lines.count == 2 && wrong.lines[1].hasPrefix("changed "))
        #expect(wrong.errors.contains("differs from its log"))
        let json = try bench.run("verify", "--offline", "--json")
        #expect(json.status == 65)
        #expect(json.output.contains(#""result":"wrong","damage":[],"log":[]"#))
        let bare = try bench.run("verify", "--repair")
        #expect(bare.status == 64 && bare.errors.contains("has not synced yet"))
        #expect(try bench.run("verify", "--repair", "--offline").status == 64)
    }

    @Test func `an entry of the log that does not match its digest is reported`() throws {
        let bench = try Workbench()
        for code in ["FR", "DE", "IT"] { _ = try bench.run("insert", "Country", "code=\(code)") }
        try Self.damage(
            bench.store,
            "UPDATE ab_changeset SET payload = payload || x'00' WHERE position = 2")
        let run = try bench.run("verify")
        #expect(run.status == 65 && run.output.contains("Entry 2"), "\(run.output)")
    }

    @Test func `the check of a damaged file begins with what it means`() throws {
        let bench = try Workbench()
        let rows = (1...60).map { "{\"code\":\"C\($0)\"}" }.joined(separator: "\n")
        let file = try bench.write(rows, to: "rows.jsonl")
        let made = try bench.run("import", "Country", file)
        #expect(made.status == 0, "\(made.errors)")
        try Self.changeRowsBehindIndex("Country_unique_code", in: bench.store)
        let run = try bench.run("verify", "--offline")
        #expect(run.status == 65)
        #expect(run.lines.first == "The file is damaged: SQLite reports this.", "\(run.output)")
        #expect(run.lines.count <= 12 && run.lines.last?.hasSuffix("--json lists all") == true)
        let json = try bench.run("verify", "--offline", "--json")
        #expect(json.output.components(separatedBy: "\",\"").count > 12)
    }

    @Test func `a damaged record is found, repaired and reported by a real daemon`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let bench = try Workbench()
        let token = ["--token-file", daemon.tokenFile]
        for number in 1...20 { _ = try bench.run("insert", "Country", "code=C\(number)") }
        let first = try ToolRun(
            ["verify", bench.store, "--server", daemon.url, "--zone", "geo"] + token)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output == "Equal at position 20: 20 records.\n")
        try Self.damage(bench.store, "UPDATE Country SET name = 'Nowhere' WHERE code = 'C7'")
        try Self.damage(bench.store, "DELETE FROM Country WHERE code = 'C9'")
        let found = try ToolRun(["verify", bench.store] + token)
        #expect(found.status == 65)
        #expect(found.lines.map { $0.split(separator: " ")[0] } == ["changed", "missing", "2"])
        #expect(found.lines.last == "2 records of 20 records differ at position 20.")
        let repaired = try ToolRun(["verify", bench.store, "--repair", "--json"] + token)
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(
            repaired.output.hasPrefix(#"{"result":"repaired","position":20,"records":20,"#))
        #expect(repaired.output.contains(#""differing":2"#))
        #expect(try bench.run("hash").output == daemon.hash(ofZone: "geo"))
        let journal = try bench.run("conflicts").output
        #expect(journal.contains("Nowhere") && journal.contains("is the zone's value"))
        #expect(try daemon.run("zone", "show", "geo").output.contains("checksum  "))
        let zone = try daemon.run("zone", "verify", "geo")
        #expect(zone.status == 0, "\(zone.errors)")
        #expect(zone.output.contains("state     agrees with the log"))
        let locked = try daemon.run("zone", "verify", "geo", "--repair")
        #expect(locked.status == 1 && locked.errors.contains("another daemon serves it"))
        #expect(try daemon.run("zone", "show", "geo", "--repair").status == 64)
    }
}
