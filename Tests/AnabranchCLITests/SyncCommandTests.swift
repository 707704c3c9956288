import Anabranch
import Foundation
import TestSupport
import Testing

@testable import AnabranchCLI
@testable import AnabranchSync

@Suite(.waiting) struct SyncCommandTests {
    private func synced(_ daemon: RunningDaemon) throws -> Workbench {
        let bench = try Workbench()
        let run = try bench.run(
            "sync", "--server", daemon.url, "--zone", "geo", "--token-file", daemon.tokenFile)
        #expect(run.status == 0, "\(run.errors)")
        return bench
    }

    @Test func `a store that joins the zone of another app is warned, or refused`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let geo = try synced(daemon)
        _ = try geo.run("insert", "Country", "code=FR", "name=France")
        #expect(try geo.run("sync", "--token-file", daemon.tokenFile).status == 0)
        let model = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Account" syncable="YES">
                    <attribute name="name" optional="YES" attributeType="String"/>
                </entity>
            </model>
            """
        let words = ["--server", daemon.url, "--zone", "geo", "--token-file", daemon.tokenFile]
        for option in [["--refuse-foreign-zone"], []] {
            let bench = try Workbench(model: model)
            let run = try ToolRun(["sync", bench.store] + words + option)
            #expect(run.status == (option.isEmpty ? 0 : 1), "\(run.errors)")
            #expect(run.errors.contains("Account") && run.errors.contains("Country"))
            let status = try bench.run("status").output
            #expect(status.contains("Warning") && status.contains("Country"), "\(status)")
        }
        #expect(!(try geo.run("status").output.contains("Warning")))
    }

    @Test func `a wait is told with its reason, a moment is not`() {
        var status = SyncStatus()
        #expect(SyncEngine.waitNote(status) == nil)
        status.activity = .waiting(.seconds(60))
        status.delayedBy = SyncError(.storageFull, "Can't serve zone geo.\u{1B}[2J")
        let note = SyncEngine.waitNote(status) ?? ""
        #expect(note.hasPrefix("Trying again in 60 seconds: Can't serve zone geo."))
        #expect(!note.contains("\u{1B}"))
        status.activity = .waiting(.milliseconds(250))
        #expect(SyncEngine.waitNote(status) == nil)
    }

    @Test func `a save above the daemon's limit of bodies goes up, and later saves follow`() throws
    {
        let daemon = try RunningDaemon(zone: "geo", options: ["--body-limit", "65536"])
        let bench = try synced(daemon)
        let row = "{\"code\":\"BIG\",\"name\":\"\(String(repeating: "long ", count: 100_000))\"}"
        let file = try bench.write(row, to: "big.jsonl")
        #expect(try bench.run("import", "Country", file).status == 0)
        _ = try bench.run("insert", "Country", "code=FR")
        let run = try bench.run("sync", "--token-file", daemon.tokenFile)
        #expect(run.output.contains("pushed 2 change sets"), "\(run.output)\(run.errors)")
        #expect(try bench.run("hash").output == daemon.hash(ofZone: "geo"))
        #expect(try bench.run("verify", "--offline").status == 0)
    }

    @Test func `a first sync by a snapshot says how many records it brought`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let first = try synced(daemon)
        for code in ["FR", "DE", "IT"] {
            _ = try first.run("insert", "Country", "code=\(code)")
        }
        _ = try first.run("sync", "--token-file", daemon.tokenFile)
        #expect(try daemon.run("zone", "compact", "geo", "--keep", "0").status == 0)
        let second = try Workbench()
        let words = ["--server", daemon.url, "--zone", "geo", "--token-file", daemon.tokenFile]
        let run = try ToolRun(["sync", second.store] + words)
        #expect(
            run.output.hasPrefix("Pulled a snapshot of 3 records and 0 change sets, pushed 0"),
            "\(run.output)\(run.errors)")
        let third = try Workbench()
        let json = try ToolRun(["sync", third.store, "--json"] + words)
        #expect(json.output.contains(#""pulled":0,"snapshotRecords":3,"#), "\(json.output)")
    }

    @Test func `two stores exchange edits and end with the zone's hash`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let first = try synced(daemon)
        let second = try synced(daemon)
        _ = try first.run("insert", "Country", "code=FR", "name=France", "--author", "Ada")
        let pushed = try first.run("sync", "--token-file", daemon.tokenFile, "--json")
        #expect(
            pushed.output == """
                {"pulled":0,"pushed":1,"rejected":0,"position":1,"headPosition":1,"pending":0,\
                "isCaughtUp":true,"blockedBy":null}

                """)
        _ = try second.run("sync", "--token-file", daemon.tokenFile)
        _ = try first.run("update", "Country", "code=FR", "name=A", "--author", "Ada")
        _ = try second.run("update", "Country", "code=FR", "name=B", "--author", "Bob")
        for bench in [first, second, first] {
            #expect(try bench.run("sync", "--token-file", daemon.tokenFile).status == 0)
        }
        let hashes = [try first.run("hash").output, try second.run("hash").output]
        #expect(hashes == [hashes[0], try daemon.hash(ofZone: "geo")])
        let journal = try first.run("conflicts").output
        #expect(journal.contains("Ada") && journal.contains("Bob wrote later"), "\(journal)")
        #expect(try first.run("conflicts", "--json").output.contains(#""kind":"concurrentWrite""#))
        #expect(try first.run("get", "Country", "code=FR").output.contains("B"))
        let status = try first.run("status", "--json").output
        #expect(status.contains(#""zone":"geo","position":3,"pending":0"#), "\(status)")
        #expect(status.contains(#""isCaughtUp":true,"blockedBy":null"#), "\(status)")
        #expect(try first.run("status").output.contains("Caught up     yes, as of the last sync"))
    }

    @Test func `a zone asks for a version of the app, and an older app stops`() async throws {
        let daemon = try RunningDaemon(zone: "geo")
        let (first, second) = (try synced(daemon), try synced(daemon))
        let token = ["--token-file", daemon.tokenFile]
        #expect(
            try first.run("minimum-version").output == "The zone needs no version of the app.\n")
        let set = try first.run("minimum-version", "12", "--author", "Ada")
        #expect(
            set.output
                == "The zone needs version 12 of the app or a later one. "
                + "The next sync sends this.\n")
        _ = try second.run("insert", "Country", "code=FR")
        for bench in [first, second] {
            let run = try ToolRun(["sync", bench.store] + token)
            #expect(run.output.hasSuffix("The zone needs version 12 of the app or a later one.\n"))
        }
        #expect(
            try second.run("minimum-version", "--json").output == "{\"minimumVersion\":12}\n")
        #expect(try second.run("status").output.contains("12 or later"))
        let lower = try second.run("minimum-version", "3")
        #expect(lower.status == 1 && lower.errors.contains("only rises"), "\(lower.errors)")
        #expect(try second.run("minimum-version", "x").status == 64)

        // An app of a lower version keeps what it saves, over the same connection.
        _ = try second.run("insert", "Country", "code=DE")
        let container = PersistentContainer(url: URL(filePath: second.store))
        try container.load()
        let secret = try String(contentsOfFile: daemon.tokenFile, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        var options = SyncOptions()
        options.appVersion = 11
        let old = try SyncEngine(container: container, token: secret, options: options)
        #expect(old.status.activity == .updateRequired(minimum: 12))
        let error = await #expect(throws: SyncError.self) { try await old.synchronize() }
        #expect(error?.code == .updateRequired && old.status.pendingCount == 1)
        options.appVersion = 12
        let updated = try SyncEngine(container: container, token: secret, options: options)
        #expect(try await updated.synchronize().pushedChangeSets == 1)
    }

    @Test func `a store and its copy both continue, and nothing is lost or doubled`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let bench = try synced(daemon)
        _ = try bench.run("insert", "Country", "code=FR")
        let copy = bench.folder.file("copy.store")
        try FileManager.default.copyItem(atPath: bench.store, toPath: copy)
        let token = ["--token-file", daemon.tokenFile]
        _ = try bench.run("insert", "Country", "code=DE")
        _ = try ToolRun(["insert", copy, "Country", "code=IT"])
        for store in [copy, bench.store, copy, bench.store] {
            let run = try ToolRun(["sync", store] + token)
            #expect(run.status == 0, "\(run.errors)")
        }
        for store in [bench.store, copy] {
            let words = [
                "fetch", store, "Country", "--sort", "code", "--columns", "code", "--json",
            ]
            let codes = try ToolRun(words).lines.map { $0.suffix(4).prefix(2) }
            #expect(codes == ["DE", "FR", "IT"])
            #expect(try ToolRun(["hash", store]).output == daemon.hash(ofZone: "geo"))
        }
    }

    @Test func `status reports what the zone refuses until it refuses no more`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let bench = try synced(daemon)
        let token = ["--token-file", daemon.tokenFile]
        let saved = try bench.run("insert", "Country", "code=FR")
        #expect(saved.status == 0)
        let readOnly = try daemon.token(role: "read")
        let blocked = try ToolRun(["sync", bench.store, "--token-file", readOnly])
        #expect(blocked.status == 1, "\(blocked.errors)")
        let json = try bench.run("status", "--json").output
        #expect(json.contains(#""pending":1"#) && json.contains(#""isCaughtUp":false"#))
        #expect(
            json.contains(#""blockedBy":"forbidden","blockedByMessage":"The token may only read"#),
            "\(json)")
        let text = try bench.run("status").output
        #expect(text.contains("Caught up     no, the zone refuses a save"), "\(text)")
        #expect(text.contains("Blocked by    forbidden: The token may only read"), "\(text)")
        #expect(try ToolRun(["sync", bench.store] + token).status == 0)
        #expect(try !bench.run("status").output.contains("Blocked by"))
    }

    @Test func `sync says why a snapshot replaced the records, as text and as JSON`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let author = try synced(daemon)
        for code in ["FR", "DE", "IT"] {
            _ = try author.run("insert", "Country", "code=\(code)")
        }
        #expect(try author.run("sync", "--token-file", daemon.tokenFile).status == 0)
        let damaged = "substr(change_set, 1, length(change_set) - 1) || x'FF'"
        #expect(
            try daemon.change("UPDATE log SET change_set = \(damaged) WHERE position = 2") == 1)
        for options in [[], ["--json"]] {
            let bench = try Workbench()
            let run = try ToolRun(
                [
                    "sync", bench.store, "--server", daemon.url, "--zone", "geo", "--token-file",
                    daemon.tokenFile,
                ] + options)
            #expect(run.status == 0, "\(run.errors)")
            let text =
                options.isEmpty
                ? "caught up.\nA snapshot replaced the store's records, and every save was kept: "
                    + "Can't read a pulled change set because"
                : #""blockedBy":null,"snapshotReason":"damaged-response"}"#
            #expect(run.output.contains(text), "\(run.output)")
            #expect(try bench.run("fetch", "Country", "--count").output == "3\n")
            #expect(try bench.run("hash").output == daemon.hash(ofZone: "geo"))
        }
        let status = try author.run("status").output
        #expect(!status.contains("Last error"))
    }

    @Test func `a token may come from the environment and a wrong one ends with 77`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let bench = try synced(daemon)
        let token = try String(contentsOfFile: daemon.tokenFile, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let right = try ToolRun(["sync", bench.store], environment: ["ANABRANCH_TOKEN": token])
        #expect(right.status == 0)
        let wrong = try ToolRun(
            ["sync", bench.store],
            environment: [
                "ANABRANCH_TOKEN": String(token.dropLast()) + (token.hasSuffix("0") ? "1" : "0")
            ])
        #expect(wrong.status == 77, "\(wrong.errors)")
        #expect(!wrong.errors.contains(token.dropLast(4)))
        #expect(try bench.run("sync", "--zone", "other").status == 64)
        let without = try bench.run("sync")
        #expect(without.status == 77)
        #expect(without.errors.contains("Type --token-file FILE, or set ANABRANCH_TOKEN."))
        let plain = try bench.run("sync", "--server", "http://sync.example.org")
        #expect(plain.status == 64)
        #expect(plain.errors.contains("Type --allow-plain-http"), "\(plain.errors)")
    }

    @Test(.enabled(if: TestCertificates.canBeMade, "OpenSSL's program makes the certificates"))
    func `an authority of one's own is named once, by an option or the environment`() throws {
        let certificates = try TestCertificates()
        _ = try certificates.issue()
        let (certificate, key) = certificates.files
        let daemon = try RunningDaemon(
            zone: "geo", options: ["--tls-certificate", certificate, "--tls-key", key])
        let bench = try Workbench()
        let address = ["--server", daemon.url, "--zone", "geo", "--token-file", daemon.tokenFile]
        let unknown = try ToolRun(["sync", bench.store] + address)
        #expect(unknown.status == 69, "\(unknown.errors)")
        #expect(unknown.errors.contains("If you trust its issuer, type --ca-file FILE"))
        let trusted = try ToolRun(
            ["sync", bench.store, "--ca-file", certificates.authority] + address)
        #expect(trusted.status == 0, "\(trusted.errors)")
        let again = try bench.run("sync", "--token-file", daemon.tokenFile)
        #expect(again.status == 0, "\(again.errors)")
        let shown = try bench.run("status")
        #expect(shown.lines.contains { $0 == "CA file       \(certificates.authority)" })
        let json = try bench.run("status", "--json").output
        #expect(json.contains("\"caFile\":\"\(certificates.authority)\""), "\(json)")
        for name in ["ANABRANCH_CA_FILE", "SSL_CERT_FILE", "CURL_CA_BUNDLE"] {
            let other = try Workbench()
            let run = try ToolRun(
                ["sync", other.store] + address, environment: [name: certificates.authority])
            #expect(run.status == 0, "\(name): \(run.errors)")
        }
    }

    @Test func `watch shows another's save when it arrives`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let first = try synced(daemon)
        let second = try synced(daemon)
        let tokenFile = daemon.tokenFile
        var saved = 0
        let run = try Watcher {
            try second.run(
                "watch", "--token-file", tokenFile, "--count", "1", "--for", "1200",
                "--json")
        }.end {
            _ = try first.run("insert", "Country", "code=I\(saved)", "--author", "Ada")
            _ = try first.run("sync", "--token-file", tokenFile)
            saved += 1
        }
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(#""author":"Ada""#))
        #expect(run.output.contains(#""operation":"insert","entity":"Country""#))
        #expect(try second.run("fetch", "Country", "--count").output != "0\n")
    }

    @Test func `watch ends with 77 where the token was revoked`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let bench = try synced(daemon)
        try daemon.revokeTokens()
        let run = try bench.run("watch", "--token-file", daemon.tokenFile, "--for", "600")
        #expect(run.status == 77, "\(run.errors)")
        #expect(run.errors.contains("not known here, or was revoked"), "\(run.errors)")
    }

    @Test func `watch says once that a token is for another zone`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let made = try daemon.run("token", "create", "--zone", "other", "--role", "write")
        let bench = try Workbench()
        let tokenFile = try bench.write(made.output, to: "token")
        let run = try ToolRun([
            "watch", bench.store, "--server", daemon.url, "--zone", "geo", "--token-file",
            tokenFile, "--for", "600",
        ])
        #expect(run.status == 77, "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }

    @Test func `watch ends with 77 when the token is revoked meanwhile`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let bench = try synced(daemon)
        let tokenFile = daemon.tokenFile
        var saved = 0
        let run = try Watcher {
            try bench.run("watch", "--token-file", tokenFile, "--for", "600")
        }.end {
            // The watcher pushes each save, and is refused after the token was revoked.
            if saved == 10 { try daemon.revokeTokens() }
            _ = try bench.run("insert", "Country", "code=I\(saved)")
            saved += 1
        }
        #expect(run.status == 77, "\(run.errors)")
        #expect(run.errors.contains("not known here, or was revoked"), "\(run.errors)")
    }

    @Test func `a server that is away ends a sync with 69 and loses nothing`() throws {
        let bench: Workbench
        do {
            let daemon = try RunningDaemon(zone: "geo")
            bench = try synced(daemon)
        }
        _ = try bench.run("insert", "Country", "code=FR")
        let run = try ToolRun(["sync", bench.store], environment: ["ANABRANCH_TOKEN": "t"])
        #expect(run.status == 69, "\(run.errors)")
        let json = try bench.run("status", "--json").output
        #expect(json.contains(#""pending":1"#))
        #expect(json.contains(#""isCaughtUp":false"#))
        #expect(json.contains(#""lastError":"unreachable","lastErrorMessage":"Can't"#), "\(json)")
        let text = try bench.run("status").output
        #expect(text.contains("Caught up     no, the last sync failed"), "\(text)")
        #expect(text.contains("Last error    unreachable: Can't"), "\(text)")
    }
}
