import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct SealedBundleCommandTests {
    private let ada: Workbench
    private let bob: Workbench
    private var keys: String { ada.folder.file("family.keys") }

    init() throws {
        ada = try Workbench()
        bob = try Workbench()
    }

    private func makeKeys() throws -> String {
        let made = try ToolRun(["key", "create", keys])
        #expect(made.status == 0, "\(made.errors)")
        return try #require(made.output.firstMatch(of: /[0-9a-f]{32}/)).output.description
    }

    private func codes(_ store: String) throws -> [Substring] {
        try ToolRun(["fetch", store, "Country", "--sort", "code", "--columns", "code", "--json"])
            .lines.map { $0.suffix(4).prefix(2) }
    }

    // MARK: - Bundles

    @Test func `two stores exchange sealed bundles that can't be read without a key`() throws {
        let key = try makeKeys()
        _ = try ada.run("insert", "Country", "code=FR", "--author", "Ada")
        let file = ada.folder.file("a.bundle")
        let wrote = try ToolRun(["bundle", "create", ada.store, file, "--key-ring", keys])
        #expect(wrote.output.hasSuffix(", sealed with the key \(key).\n"), "\(wrote.errors)")
        let bytes = try Data(contentsOf: URL(filePath: file))
        #expect(bytes.range(of: Data("Country".utf8)) == nil)
        let applied = try ToolRun(["bundle", "apply", bob.store, file, "--key-ring", keys])
        #expect(applied.output == "\(file): applied 1 change set, 0 already held.\n")
        _ = try bob.run("insert", "Country", "code=DE", "--author", "Bob")
        let answer = ada.folder.file("answer.bundle")
        let since = try ToolRun([
            "bundle", "create", bob.store, answer, "--since", file, "--key-ring", keys, "--json",
        ])
        #expect(since.output.contains(#""changeSets":1,"#), "\(since.output)\(since.errors)")
        #expect(since.output.contains(#""key":"\#(key)""#))
        #expect(
            try ToolRun(["bundle", "apply", ada.store, answer, "--key-ring", keys]).status == 0)
        #expect(try codes(ada.store) == ["DE", "FR"])
        #expect(try ada.run("hash").output == bob.run("hash").output)
        let shown = try ToolRun(["bundle", "show", file, "--key-ring", keys])
        #expect(shown.output.contains("Sealed with   \(key)"), "\(shown.output)\(shown.errors)")
        #expect(shown.output.contains("+1 Country"))
    }

    @Test func `without the key nothing is shown or applied, and the error says what to type`()
        throws
    {
        let key = try makeKeys()
        _ = try ada.run("insert", "Country", "code=FR")
        let (file, plain) = (ada.folder.file("a.bundle"), ada.folder.file("plain.bundle"))
        _ = try ToolRun(["bundle", "create", ada.store, file, "--key-ring", keys])
        _ = try ToolRun(["bundle", "create", ada.store, plain])
        let other = ada.folder.file("other.keys")
        _ = try ToolRun(["key", "create", other])
        let new = ada.folder.file("new.bundle")
        for words in [
            ["bundle", "apply", bob.store, file], ["bundle", "show", file],
            ["bundle", "create", bob.store, new, "--since", file],
        ] {
            let required = try ToolRun(words)
            #expect(required.status == 77)
            #expect(required.errors.contains(key) && required.errors.contains("--key-ring FILE"))
            let missing = try ToolRun(words + ["--key-ring", other])
            #expect(missing.status == 77)
            #expect(missing.errors.contains("\(key), which the key ring lacks"))
        }
        #expect(!FileManager.default.fileExists(atPath: new))
        for words in [["bundle", "apply", bob.store, plain], ["bundle", "show", plain]] {
            let refused = try ToolRun(words + ["--key-ring", keys])
            #expect(refused.status == 65)
            #expect(refused.errors.contains("is plain text"), "\(refused.errors)")
        }
        var bytes = try Data(contentsOf: URL(filePath: file))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(filePath: file))
        let damaged = try ToolRun(["bundle", "apply", bob.store, file, "--key-ring", keys])
        #expect(damaged.status == 65)
        #expect(damaged.errors.contains("at offset 81"), "\(damaged.errors)")
        #expect(try codes(bob.store) == [])
        let ring = try ToolRun(["bundle", "create", ada.store, keys, "--key-ring", keys])
        #expect(ring.status == 64)
        #expect(ring.errors.contains("replace the key ring"), "\(ring.errors)")
        #expect(try ToolRun(["key", "show", keys]).status == 0)
        // A base decides what the bundle omits, so it must be sealed too.
        let base = ["bundle", "create", bob.store, new, "--since", plain]
        let refused = try ToolRun(base + ["--key-ring", keys])
        #expect(refused.status == 65)
        #expect(refused.errors.contains("is plain text"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: new))
        #expect(try ToolRun(base).status == 0)
    }

    @Test func `a key that changed opens what was sealed before, and not the other way`() throws {
        let old = ada.folder.file("old.keys")
        let first = try makeKeys()
        try FileManager.default.copyItem(atPath: keys, toPath: old)
        let rotated = try ToolRun(["key", "rotate", keys])
        #expect(rotated.output.hasPrefix("\(keys) has 2 keys; "), "\(rotated.errors)")
        _ = try ada.run("insert", "Country", "code=FR")
        let (before, after) = (ada.folder.file("1.bundle"), ada.folder.file("2.bundle"))
        _ = try ToolRun(["bundle", "create", ada.store, before, "--key-ring", old])
        _ = try ToolRun(["bundle", "create", ada.store, after, "--key-ring", keys])
        #expect(
            try ToolRun(["bundle", "apply", bob.store, before, "--key-ring", keys]).status == 0)
        let removed = try ToolRun(["bundle", "apply", bob.store, after, "--key-ring", old])
        #expect(removed.status == 77)
        // The new key is copied first, and then the older one is removed.
        #expect(try ToolRun(["key", "add", old, keys]).lines.count == 3)
        #expect(try ToolRun(["bundle", "apply", bob.store, after, "--key-ring", old]).status == 0)
        #expect(try ToolRun(["key", "remove", old, first]).lines.count == 2)
        let late = try ToolRun(["bundle", "apply", bob.store, before, "--key-ring", old])
        #expect(late.status == 77)
        #expect(late.errors.contains(first), "\(late.errors)")
    }

    // MARK: - Key rings

    @Test func `a key ring is created for its owner alone, and shown without secrets`() throws {
        let key = try makeKeys()
        let attributes = try FileManager.default.attributesOfItem(atPath: keys)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let text = try String(contentsOfFile: keys, encoding: .utf8)
        let secret = try #require(text.split(whereSeparator: \.isWhitespace).last)
        #expect(secret.count == 64)
        let rotated = try ToolRun(["key", "rotate", keys, "--json"])
        #expect(rotated.output.contains(/"key":"[0-9a-f]{32}","made":"[-0-9T:]+Z","seals":true/))
        let shown = try ToolRun(["key", "show", keys])
        #expect(shown.lines.count == 3)
        #expect(shown.lines[1].hasPrefix(key) && !shown.lines[1].contains("seals"))
        #expect(shown.lines[2].contains("seals"))
        let json = try ToolRun(["key", "show", keys, "--json"])
        #expect(json.lines.count == 2)
        for run in [rotated, shown, json] { #expect(!run.output.contains(secret)) }
    }

    @Test func `a bundle that is written leaves the key ring alone, whatever its name`() throws {
        let key = try makeKeys()
        let partial = ada.folder.file("x.partial")
        try FileManager.default.moveItem(atPath: keys, toPath: partial)
        let wrote = try ToolRun(
            ["bundle", "create", ada.store, ada.folder.file("x"), "--key-ring", partial])
        #expect(wrote.status == 0, "\(wrote.errors)")
        #expect(try ToolRun(["key", "show", partial]).output.contains(key))
        // The file does not replace the key ring unless it is named.
        let lost = try ToolRun(["bundle", "create", ada.store, partial])
        #expect(lost.status == 73, "\(lost.errors)")
        #expect(try ToolRun(["key", "show", partial]).output.contains(key))
    }

    @Test func `errors of key rings say what to do, with the status of their kind`() throws {
        let key = try makeKeys()
        let again = try ToolRun(["key", "create", keys])
        #expect(again.status == 73)
        #expect(again.errors.contains("already"), "\(again.errors)")
        let last = try ToolRun(["key", "remove", keys, key])
        #expect(last.status == 1)
        #expect(last.errors.contains("Rotate first"), "\(last.errors)")
        let stranger = String(repeating: "ab", count: 16)
        #expect(try ToolRun(["key", "remove", keys, stranger]).status == 1)
        let noID = try ToolRun(["key", "remove", keys, "newest"])
        #expect(noID.status == 64)
        #expect(noID.errors.contains("32 hexadecimal digits"))
        #expect(try ToolRun(["key", "show", ada.folder.file("none")]).status == 66)
        let text = try ada.write("no keys\n", to: "no.keys")
        let modes = [0o644: Int32(77), 0o600: 65]
        for (mode, status) in modes {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: text)
            for words in [
                ["key", "show", text], ["key", "rotate", text], ["key", "add", keys, text],
                ["bundle", "create", ada.store, ada.folder.file("a"), "--key-ring", text],
            ] {
                let run = try ToolRun(words)
                #expect(run.status == status, "\(words): \(run.errors)")
                #expect(run.errors.contains(mode == 0o600 ? "line 1" : "chmod 600 '\(text)'"))
            }
        }
        #expect(!FileManager.default.fileExists(atPath: ada.folder.file("a")))
        #expect(try ToolRun(["key"]).errors.contains("create, rotate, show, add or remove"))
        #expect(try ToolRun(["key", "add", keys]).status == 64)
        #expect(try ToolRun(["help", "key", "rotate"]).output.contains("key rotate FILE"))
    }
}
