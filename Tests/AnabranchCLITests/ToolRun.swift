import Foundation
import TestSupport

/// One complete run of the built `anabranch`.
struct ToolRun {
    let status: Int32
    let output: String
    let errors: String

    var lines: [Substring] { output.split(separator: "\n") }

    /// - Parameters:
    ///   - input: The program's standard input.
    ///   - isNobody: Whether to run without root's rights, which no file mode restricts.
    ///   - isShared: Whether the shell lets everybody read and write new files (umask 0).
    ///   - redirection: What a shell does with the program's streams, as `>/dev/full` or `| true`.
    init(
        _ words: [String], of program: String = "anabranch", input: String = "",
        environment: [String: String] = [:], isNobody: Bool = false,
        isShared: Bool = false, redirection: String? = nil
    ) throws {
        let folder = try TemporaryDirectory("anabranch-cli")
        let files = ["in", "out", "err"].map { folder.url.appending(path: $0) }
        try Data(input.utf8).write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }
        let process = Process()
        let executable = try Self.executable(program)
        let isDropping = isNobody && geteuid() == 0
        let before = (isShared ? Self.sharer : []) + (isDropping ? Self.dropper : [])
        let statusFile = folder.url.appending(path: "status")
        let shell = redirection.map { Self.redirector(statusFile, $0) } ?? []
        let line = before + shell + [executable.path] + words
        process.executableURL = URL(filePath: line[0])
        process.arguments = Array(line.dropFirst())
        process.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "USER": "tester",
        ].merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        let end = process.terminationReason == .exit ? process.terminationStatus : -1
        let written = try? String(contentsOf: statusFile, encoding: .utf8)
        status = written.flatMap { Int32($0.trimmingCharacters(in: .newlines)) } ?? end
        output = try String(contentsOf: files[1], encoding: .utf8)
        errors = try String(contentsOf: files[2], encoding: .utf8)
    }

    private static let sharer = ["/bin/sh", "-c", "umask 0; exec \"$@\"", "sh"]

    /// A shell that runs the program with redirected streams, and writes its status into a file,
    /// because the status of a pipe is that of its last program.
    private static func redirector(_ status: URL, _ redirection: String) -> [String] {
        ["/bin/sh", "-c", "{ \"$@\"; echo $? >\"$0\"; } \(redirection)", status.path]
    }

    private static let dropper = [
        "/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
    ]

    /// Whether the program can be run as a user that file modes restrict.
    static var canBeNobody: Bool {
        (try? ToolRun(["--help"], isNobody: true).status) == 0
    }

    /// Returns a program's URL: beside the test runner, or beside the bundle on a Mac.
    static func executable(_ name: String = "anabranch") throws -> URL {
        let places = [
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
            Bundle.main.bundleURL,
            Bundle.main.bundleURL.deletingLastPathComponent(),
        ]
        for place in places {
            let file = place.appending(path: name)
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw MissingTool(description: "There is no \(name) beside \(places[0].path): build it.")
    }

    struct MissingTool: Error, CustomStringConvertible { let description: String }
}

/// A folder with a model, a store of it, and short ways to run commands.
struct Workbench {
    let folder: TemporaryDirectory
    var store: String { folder.file("a.store") }

    init(isMade: Bool = true, model text: String = Self.model) throws {
        folder = try TemporaryDirectory("anabranch-cli")
        let model = folder.url.appending(path: "Geo.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: model.appending(path: "contents"))
        if isMade { _ = try ToolRun(["init", store, "--model", model.path]) }
    }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: folder.url.appending(path: name))
        return folder.file(name)
    }

    /// Runs a command on the store. `words` follow the store's name.
    func run(_ command: String, _ words: String..., input: String = "") throws -> ToolRun {
        try ToolRun([command, store] + words, input: input)
    }

    static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="City" syncable="YES">
                <attribute name="area" optional="YES" attributeType="Decimal"/>
                <attribute name="founded" optional="YES" attributeType="Date" \
        usesScalarValueType="NO"/>
                <attribute name="isCapital" optional="YES" attributeType="Boolean" \
        usesScalarValueType="YES"/>
                <attribute name="name" attributeType="String"/>
                <attribute name="people" optional="YES" attributeType="Integer 32" \
        defaultValueString="0" usesScalarValueType="YES"/>
                <attribute name="seal" optional="YES" attributeType="Binary"/>
                <relationship name="country" optional="YES" maxCount="1" \
        deletionRule="Nullify" destinationEntity="Country" inverseName="cities" \
        inverseEntity="Country"/>
                <relationship name="streets" optional="YES" toMany="YES" \
        deletionRule="Cascade" destinationEntity="Street" inverseName="city" \
        inverseEntity="Street"/>
                <relationship name="twins" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="City" inverseName="twins" inverseEntity="City"/>
            </entity>
            <entity name="Country" syncable="YES">
                <attribute name="code" attributeType="String"/>
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="cities" optional="YES" toMany="YES" \
        deletionRule="Deny" destinationEntity="City" inverseName="country" \
        inverseEntity="City"/>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="code"/></uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <entity name="Street" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="city" maxCount="1" deletionRule="Nullify" \
        destinationEntity="City" inverseName="streets" inverseEntity="City"/>
            </entity>
        </model>
        """
}
