import Foundation
import TestSupport
import Testing

/// Tests of a daemon whose log can't be written.
@Suite(.waiting) struct `A daemon with a full log disk` {
    @Test(arguments: [([], 64), (["zone"], 64), (["no-such-command"], 64)] as [([String], Int32)])
    func `ends with its usual status, and not by a trap`(
        _ words: [String], _ status: Int32
    ) throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let process = Process()
        process.executableURL = try BuiltProducts.executable("anabranchd")
        process.arguments = words
        process.standardError = full
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == status)
    }

    @Test(arguments: [">/dev/full", ">&-", "| true"])
    func `a command whose output is lost does its work and says so`(redirection: String) throws {
        let folder = try TemporaryDirectory("full")
        let copy = folder.file("copy")
        let store = "sqlite:\(folder.file("store"))"
        let program = try BuiltProducts.executable("anabranchd")
        for name in ["a", "b", "c"] {
            _ = try ChildProcess.output(of: program, ["zone", "create", name, "--store", store])
        }
        let command = "{ sleep 0.2; \"$@\"; echo $? >\"$STATUS\"; } \(redirection)"
        let run = try RunningProcess(
            executable: "/bin/sh",
            ["-c", command, "sh", program.path, "backup", copy, "--store", store],
            scratch: folder.url, environment: ["STATUS": folder.file("status")]
        ).wait()
        #expect(run.errors.contains("anabranchd: Can't write all of the output.\n"))
        #expect(try String(contentsOfFile: folder.file("status"), encoding: .utf8) == "1\n")
        for name in ["a", "b", "c"] {
            #expect(FileManager.default.fileExists(atPath: "\(copy)/zones/\(name).sqlite"))
        }
    }

    @Test func `a closed stream gets no file of the program`() throws {
        let folder = try TemporaryDirectory("closed")
        let (audit, portFile) = (folder.file("audit"), folder.file("port"))
        let program = try BuiltProducts.executable("anabranchd").path
        let daemon = try RunningProcess(
            executable: "/bin/sh",
            [
                "-c", "exec \"$@\" 2>&-", "sh", program, "serve", "--audit-log", audit, "--listen",
                "127.0.0.1:0", "--port-file", portFile, "--store", "sqlite:\(folder.file("store"))",
            ], scratch: folder.url)
        var port: Int?
        for _ in 0..<1500 where port == nil {
            let text = (try? String(contentsOfFile: portFile, encoding: .utf8)) ?? ""
            port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
            usleep(20_000)
        }
        let client = try LoopbackClient(port: #require(port))
        client.get("/v1/nothing")
        #expect(client.statusLine() == "HTTP/1.1 404 Not Found")
        daemon.send(SIGTERM)
        #expect(try daemon.wait().status == 0)
        #expect(try String(contentsOfFile: audit, encoding: .utf8).isEmpty)
    }
}
