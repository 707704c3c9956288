import Foundation
import TestSupport
import Testing

/// Tests of the settings of `anabranchd serve`, which Operations.md lists in a table.
@Suite(.waiting) struct ConfigurationTests {
    /// A row of the table in Operations.md.
    struct Setting: CustomTestStringConvertible, Sendable {
        var name: String
        var example: String
        var isReloaded: Bool
        var testDescription: String { name }
    }

    static let settings: [Setting] = {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = package.appending(path: "Documentation/Operations.md")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n")
            .drop { $0 != "| setting | example | default | SIGHUP |" }
        return lines.dropFirst(2).prefix { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            return Setting(name: cells[0], example: cells[1], isReloaded: cells.last == "applied")
        }
    }()

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory("configuration")
        let secret = String(repeating: "A", count: 43)
        try Data(#"{"keys":[{"kty":"oct","k":"\#(secret)"}]}"#.utf8)
            .write(to: URL(filePath: keyFile))
    }

    private var file: String { directory.file("anabranchd.conf") }

    /// The keys of an identity provider: one secret.
    private var keyFile: String { directory.file("keys.json") }

    private func write(_ lines: String...) throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
    }

    /// Runs `check-config` with the file, options and variables.
    private func check(
        _ options: [String] = [], _ variables: [String: String] = [:]
    ) throws -> RunningProcess.Outcome {
        try RunningProcess.run(
            "anabranchd", ["check-config", "--config", file] + options, scratch: directory.url,
            environment: variables)
    }

    /// The example with files that exist in place of those of certificates.
    private func usableExample(_ setting: Setting) throws -> String {
        if setting.name == "identity-keys" { return keyFile }
        guard setting.name.hasPrefix("tls-") else { return setting.example }
        let certificates = try TestCertificates()
        let issued = try certificates.issue()
        let text =
            setting.name == "tls-key"
            ? issued.key
            : setting.name == "tls-client-ca"
                ? try String(contentsOfFile: certificates.authority, encoding: .utf8)
                : issued.certificate
        let path = directory.file(setting.example)
        try Data(text.utf8).write(to: URL(filePath: path))
        for (name, text) in [("other.pem", issued.certificate), ("other.key", issued.key)] {
            try Data(text.utf8).write(to: URL(filePath: directory.file(name)))
        }
        return path
    }

    /// The settings without which another one can't be used.
    private func companions(_ name: String) -> [String] {
        var lines = name == "store" ? [] : ["store = sqlite:/nowhere"]
        if name.hasPrefix("identity-") {
            let others = [
                ("identity-issuer", "https://login.example.org"),
                ("identity-audience", "anabranch"), ("identity-keys", keyFile),
            ]
            lines += others.filter { $0.0 != name }.map { "\($0.0) = \($0.1)" }
        }
        if name.hasPrefix("validate-") { lines.append("validate = http://127.0.0.1:9/check") }
        if name.hasPrefix("tls-") {
            if name != "tls-certificate" {
                lines.append("tls-certificate = \(directory.file("other.pem"))")
            }
            if name != "tls-key" { lines.append("tls-key = \(directory.file("other.key"))") }
        }
        return lines
    }

    @Test func `the documentation lists the options of serve, and no others`() throws {
        let help = try RunningProcess.run(
            "anabranchd", ["serve", "--help"], scratch: directory.url)
        let options = help.output.split(separator: "\n").filter { $0.hasPrefix("  --") }
            .compactMap { $0.split(separator: " ").first?.dropFirst(2) }.map(String.init)
        #expect(options.filter { $0 != "config" } == Self.settings.map(\.name))
    }

    @Test(arguments: settings)
    func `a setting is read from each place`(setting: Setting) throws {
        let (name, value) = (setting.name, try usableExample(setting))
        let others = companions(name)
        try write((others + ["\(name) = \(value)"]).joined(separator: "\n"))
        let line = "line \(others.count + 1) of \(file)"
        let fromFile = try check()
        #expect(fromFile.status == 0, "\(fromFile.errors)")
        #expect(fromFile.output.contains("\(name) = \(value)  (\(line))\n"))
        try write(others.joined(separator: "\n"))
        let variable = "ANABRANCHD_" + name.uppercased().replacingOccurrences(of: "-", with: "_")
        #expect(
            try check([], [variable: value]).output
                .contains("\(name) = \(value)  (\(variable))\n"))
        #expect(
            try check(["--\(name)", value]).output
                .contains("\(name) = \(value)  (command line)\n"))
    }

    @Test func `an option overrides a variable, and that overrides the file`() throws {
        try write("store = sqlite:/nowhere", "log-level = debug")
        let variable = ["ANABRANCHD_LOG_LEVEL": "warning"]
        #expect(try check().output.contains("log-level = debug  (line 2"))
        #expect(try check([], variable).output.contains("log-level = warning  (ANABRANCHD_LOG"))
        #expect(
            try check(["--log-level", "error"], variable).output
                .contains("log-level = error  (command line)"))
    }

    @Test func `a section precedes its settings`() throws {
        try write("store = \"sqlite:/nowhere\"", "# a comment", "", "[compact]", "every=12")
        let run = try check()
        #expect(run.output.contains("store = sqlite:/nowhere  (line 1"))
        #expect(run.output.contains("compact-every = 12  (line 5"))
    }

    @Test(arguments: [
        ("colour = blue", "line 2 of FILE because there is no setting \"colour\"."),
        ("[colours]", "line 2 of FILE because there is no section [colours]."),
        ("[tls", "line 2 of FILE because there is no section [tls."),
        ("[tls]\nlisten = x", "line 3 of FILE because there is no setting \"listen\" in the sec"),
        ("listen", "line 2 of FILE because it is neither \"key = value\" nor a section"),
        ("store = sqlite:/b", "line 2 of FILE because line 1 has store already."),
        ("workers = many", "The setting workers in line 2 of FILE takes a number from 1 to 1024"),
        ("log-level = loud", "The setting log-level in line 2 of FILE takes debug, info, warning"),
        ("listen = here", "The setting listen in line 2 of FILE takes an address and a port"),
        ("tls-key = k.pem", "The setting tls-key in line 2 of FILE must be used together with"),
        ("validate = check", "Can't use \"check\" for validation: type http"),
        ("validate-calls = 2", "The setting validate-calls in line 2 of FILE must be used toge"),
        ("proxies = a proxy", "The setting proxies in line 2 of FILE takes numeric addresses"),
    ])
    func `a wrong line is named, and nothing is made`(line: String, message: String) throws {
        let store = directory.file("store")
        try write("store = sqlite:\(store)", line)
        let expected = message.replacingOccurrences(of: "FILE", with: file)
        for command in ["check-config", "serve"] {
            let run = try RunningProcess.run(
                "anabranchd", [command, "--config", file], scratch: directory.url)
            #expect(run.status == 78)
            #expect(run.output == "")
            #expect(run.errors.contains(expected), "\(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test func `a wrong variable and a missing file are named`() throws {
        try write("store = sqlite:/nowhere")
        let variable = try check([], ["ANABRANCHD_WORKERS": "0"])
        #expect(variable.status == 78)
        #expect(variable.errors.contains("The environment variable ANABRANCHD_WORKERS takes"))
        let missing = try RunningProcess.run(
            "anabranchd", ["serve", "--config", directory.file("none")], scratch: directory.url)
        #expect(missing.status == 78)
        #expect(missing.errors.contains("none because No such file or directory."))
    }

    @Test func `the password of a URL is not printed`() throws {
        try write(
            "store = postgres://ada:secret@db.example.org/notes",
            "validate = http://ada:secret@127.0.0.1:9000/check")
        let run = try check()
        #expect(run.status == 0)
        #expect(!run.output.contains("secret"))
        // Nor is it where an address is the value of another setting.
        for name in ["listen", "log-level", "workers"] {
            try write("store = sqlite:zones", "\(name) = postgres://ada:secret@db/notes")
            let wrong = try check()
            #expect(wrong.status == 78 && wrong.errors.contains(name))
            #expect(!wrong.errors.contains("secret"))
        }
    }
}
