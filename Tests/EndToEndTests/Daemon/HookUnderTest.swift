import Foundation
import TestSupport

/// A validation hook in Python: a command, or an HTTP endpoint on a free loopback port.
///
/// It rejects saves that write the text `bad`. It records each save and part that it is shown, and
/// does what a file says: answer (`ok`), write nothing (`hang`, or for much longer `sleep`), end
/// (`die`), write another form (`garbage`), or write too much (`flood`).
final class HookUnderTest {
    enum Kind: String, CaseIterable, Sendable { case command, http }

    /// True if there is a Python that can run the hook.
    static let canRun = ["/usr/bin/env", "/usr/bin/python3"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The value of the option `--validate`.
    let place: String
    private let folder: TemporaryDirectory
    private var server: ChildProcess?

    init(_ kind: Kind, in folder: TemporaryDirectory) throws {
        self.folder = folder
        let script = folder.file("check.py")
        let text = Self.script.replacingOccurrences(of: "FOLDER", with: folder.path)
        try Data(text.utf8).write(to: URL(filePath: script))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        guard kind == .http else {
            place = "command:\(script)"
            try set("ok")
            return
        }
        server = try ChildProcess(
            URL(filePath: script), ["--http"], log: folder.url.appending(path: "hook.log"))
        place = "http://127.0.0.1:\(try Self.port(in: folder))/check"
        try set("ok")
    }

    private static func port(in folder: TemporaryDirectory) throws -> Int {
        for _ in 0..<30_000 {
            let text = (try? String(contentsOfFile: folder.file("hook-port"), encoding: .utf8))
            if let text, text.hasSuffix("\n"), let port = Int(text.dropLast()) { return port }
            usleep(2000)
        }
        throw FailedProcess(description: "The hook does not listen.")
    }

    /// Sets what the hook does from the next request on.
    func set(_ mode: String) throws {
        try Data(mode.utf8).write(to: URL(filePath: folder.file("mode")), options: .atomic)
    }

    private func lines(_ name: String) -> [String] {
        let text = (try? String(contentsOfFile: folder.file(name), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The saves and parts that the hook has answered for: replica, sequence and part.
    var shown: [String] { lines("shown") }

    /// The process IDs of all hooks that were started.
    var processes: [Int32] { lines("started").compactMap { Int32($0) } }

    /// The process IDs of the hooks that sleep.
    var sleepers: [Int32] { lines("asleep").compactMap { Int32($0) } }

    private static let script = #"""
        #!/usr/bin/python3
        import json, os, sys, time
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        def note(name, text):
            with open("FOLDER/" + name, "a") as file: file.write(text + "\n")

        def verdict(change_set):
            name = [change_set.get(key) for key in ("replica", "sequence", "part")]
            note("shown", ":".join(str(each) for each in name))
            for change in change_set["changes"]:
                for p in change.get("properties", []):
                    if p["value"] == "bad":
                        return {"accept": False, "code": "bad-text", "reason": "No bad notes."}
            return {"accept": True}

        def answer(line):
            mode = open("FOLDER/mode").read()
            if mode == "hang":
                time.sleep(5)
                return ""  # The daemon has not waited for it.
            if mode == "sleep":
                note("asleep", str(os.getpid()))
                time.sleep(600)
            if mode == "die": raise SystemExit(1)
            if mode == "garbage": return '{"version": 1, "results": "all fine"}'
            if mode == "flood": return "x" * (17 << 20)
            request = json.loads(line)
            results = [verdict(each) for each in request["changeSets"]]
            return json.dumps({"version": 1, "id": request["id"], "results": results})

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                text = answer(self.rfile.read(int(self.headers["Content-Length"]))).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            def log_message(self, *arguments): pass

        note("started", str(os.getpid()))
        if "--http" in sys.argv:
            server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            note("hook-port", str(server.server_port))
            server.serve_forever()
        for line in sys.stdin: print(answer(line), flush=True)
        """#
}
