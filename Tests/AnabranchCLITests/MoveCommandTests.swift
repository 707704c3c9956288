import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct MoveCommandTests {
    @Test func `stores move to another server with all they have`() throws {
        let (old, new) = (try RunningDaemon(zone: "geo"), try RunningDaemon(zone: "maps"))
        let benches = [try Workbench(), try Workbench()]
        let first = ["--server", old.url, "--zone", "geo", "--token-file", old.tokenFile]
        for (bench, code) in zip(benches, ["FR", "DE"]) {
            _ = try bench.run("insert", "Country", "code=\(code)")
            #expect(try ToolRun(["sync", bench.store] + first).status == 0)
        }
        _ = try benches[0].run("insert", "Country", "code=IT")
        let there = ["--server", new.url, "--zone", "maps", "--token-file", new.tokenFile]
        for bench in benches {
            let refused = try ToolRun(["sync", bench.store] + there)
            #expect(refused.status == 64)
            #expect(refused.errors.contains("--move"), "\(refused.errors)")
            let moved = try ToolRun(["sync", bench.store, "--move"] + there)
            #expect(moved.status == 0, "\(moved.errors)")
        }
        // From here on the store remembers its zone.
        for bench in benches.reversed() {
            let run = try ToolRun(["sync", bench.store, "--token-file", new.tokenFile])
            #expect(run.output.contains("caught up"), "\(run.errors)")
        }
        let hashes = try benches.map { try $0.run("hash").output }
        #expect(hashes == [hashes[0], hashes[0]])
        #expect(try new.hash(ofZone: "maps") == hashes[0])
        let status = try benches[1].run("status", "--json").output
        #expect(status.contains(#""zone":"maps","position":3,"pending":0"#), "\(status)")
    }

    @Test func `moving needs a destination`() throws {
        let bench = try Workbench()
        let run = try bench.run("sync", "--move")
        #expect(run.status == 64)
        #expect(run.errors.contains("--server"), "\(run.errors)")
    }
}
