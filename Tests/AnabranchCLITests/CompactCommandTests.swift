import TestSupport
import Testing

@Suite(.waiting) struct CompactCommandTests {
    @Test func `removes what the zone has, and says how large the file is`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let bench = try Workbench()
        for name in ["France", "Spain"] {
            _ = try bench.run("insert", "Country", "code=\(name.prefix(2))", "name=\(name)")
            let run = try bench.run(
                "sync", "--server", daemon.url, "--zone", "geo", "--token-file", daemon.tokenFile)
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try bench.run("compact").output.hasPrefix("Removed 0 saves from the log. The file"))
        let hash = try bench.run("hash").output
        let run = try bench.run("compact", "--keep", "0s", "--json")
        #expect(run.output.hasPrefix(#"{"removedSaves":1,"bytesBefore":"#), "\(run)")
        #expect(try bench.run("hash").output == hash)
        let log = try bench.run("log")
        #expect(log.errors.contains("Saves up to number 1 are no longer in the log."))
        #expect(log.output.split(separator: "\n").count == 2 && log.status == 0)
    }

    @Test func `refuses a time that is none, and two answers at once`() throws {
        let bench = try Workbench()
        #expect(try bench.run("compact", "--keep", "long").status == 64)
        #expect(try bench.run("compact", "--keep", "1d", "--keep-all").status == 64)
        #expect(try bench.run("compact", "--keep-all").output.hasPrefix("Removed 0 saves"))
    }
}
