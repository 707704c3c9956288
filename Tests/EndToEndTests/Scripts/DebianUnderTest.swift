import Foundation
import TestSupport

/// A simulated machine with Debian's package commands: a folder of programs that a script sees,
/// most of them the real ones.
///
/// The compiler is simulated too: it is new enough and records that it was called. It fails to
/// build, so that a script ends after its set-up, unless it is given a recorded run of tests.
final class DebianUnderTest {
    private let folder: TemporaryDirectory
    private var programs: URL { folder.url.appending(path: "bin") }
    private var calls: URL { folder.url.appending(path: "calls") }
    private var installed: URL { folder.url.appending(path: "installed") }

    /// - Parameters:
    ///   - packages: The names of the packages that are installed.
    ///   - userID: 0 for the superuser.
    ///   - tests: The run of tests that the compiler repeats; with `nil` it fails to build.
    init(installed packages: Set<String>, userID: Int, tests: RecordedTests? = nil) throws {
        folder = try TemporaryDirectory("scripts")
        let files = FileManager.default
        try files.createDirectory(at: programs, withIntermediateDirectories: true)
        try files.copyItem(at: Self.scripts, to: folder.url.appending(path: "Scripts"))
        try Data().write(to: folder.url.appending(path: "iso_3166-1.json"))
        try Data().write(to: calls)
        try Data(packages.sorted().map { $0 + "\n" }.joined().utf8).write(to: installed)
        for name in Self.realPrograms { try link(name) }
        try add("swift", try compiler(running: tests))
        try add("id", "echo \(userID)")
        try add("pkg-config", "exit 0")
        try add("apt-cache", "exit 1")
        try add(
            "dpkg-query",
            #"while read -r name; do echo "installed $name"; done <'\#(installed.path)'"#)
        try add("apt-get", Self.log(to: calls))
        // It makes a virtual environment in the folder that its last word names.
        try add(
            "python3",
            #"""
            \#(Self.log(to: calls))
            for folder; do :; done
            mkdir -p "$folder/bin"
            ln -s "$(dirname "$0")/pip" "$folder/bin/pip"
            """#)
        try add("pip", Self.log(to: calls))
    }

    private var log: String { Self.log(to: calls) }

    private func compiler(running tests: RecordedTests?) throws -> String {
        let version = "--version) echo 'Swift version 6.2' ;;"
        guard let tests else {
            return #"""
                case $1 in
                    \#(version)
                    *) \#(log); echo '[1/2] Compiling'; echo 'a.swift:1:1: error: no b'; exit 1 ;;
                esac
                """#
        }
        let (output, report) = (folder.file("output"), folder.file("report.xml"))
        try Data(tests.output.utf8).write(to: URL(filePath: output))
        try Data(tests.report.utf8).write(to: URL(filePath: report))
        return #"""
            case $1 in
                \#(version)
                test)
                    cat '\#(output)'
                    cat '\#(report)' >.build/logs/report.xml
                    exit \#(tests.status)
                    ;;
                *) \#(log) ;;
            esac
            """#
    }

    private static func log(to calls: URL) -> String {
        #"echo "$(basename "$0") $*" >>'\#(calls.path)'"#
    }

    /// Runs a script of the package until it ends.
    ///
    /// - Returns: Its exit status, all that it printed, and the calls of the programs that install
    ///   and build.
    func run(
        _ script: String, _ arguments: [String] = []
    ) throws -> (status: Int32, output: String, calls: [String]) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = folder.url.appending(path: "Scripts/\(script)")
        process.arguments = arguments
        process.environment = [
            "PATH": programs.path, "ISO_CODES": folder.path,
            "ANABRANCH_PATRONI": folder.file("patroni"),
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let calls = try String(contentsOf: calls, encoding: .utf8)
            .split(separator: "\n").map(String.init)
        return (process.terminationStatus, output, calls)
    }

    /// Puts programs where a build would have left them.
    ///
    /// - Parameter seconds: The age of the build.
    func addBuild(
        _ configuration: String, programs: [String] = ["anabranch", "anabranchd"],
        secondsAgo seconds: Double
    ) throws {
        let build = folder.url.appending(path: ".build/\(configuration)")
        try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
        for name in programs {
            let file = build.appending(path: name)
            try Data().write(to: file)
            try FileManager.default.setAttributes(
                [
                    .posixPermissions: 0o755,
                    .modificationDate: Date(timeIntervalSinceNow: -seconds),
                ], ofItemAtPath: file.path)
        }
    }

    private func add(_ name: String, _ body: String) throws {
        let file = programs.appending(path: name)
        try Data("#!/usr/bin/env bash\n\(body)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    private func link(_ name: String) throws {
        for folder in ["/usr/bin", "/bin"] {
            let program = "\(folder)/\(name)"
            guard FileManager.default.isExecutableFile(atPath: program) else { continue }
            try FileManager.default.createSymbolicLink(
                atPath: programs.appending(path: name).path, withDestinationPath: program)
            return
        }
        throw MissingProduct(description: "There is no program \(name).")
    }

    /// The programs of an ordinary system that the scripts call. `sudo` is missing.
    private static let realPrograms = [
        "env", "bash", "dirname", "basename", "sed", "head", "grep", "awk", "mkdir", "mktemp",
        "cat", "ln", "rm", "tail", "tee", "uname", "tr",
    ]

    private static let scripts = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Scripts")
}
