import Foundation

/// The files whose functions run in a save, a pull and a fetch.
///
/// `Tests/TracedPaths` does each of them once. The modules of the store and of the object graph are
/// compiled for it with counters; the other modules are those of the build that runs the tests.
struct CoverageRun {
    static let modules = ["AnabranchStore", "Anabranch"]
    private static let others = [
        "AnabranchModel", "AnabranchReplication", "AnabranchSQLite", "CICU",
    ]

    private let root: URL
    private let build: URL
    private let folder: URL

    /// Compiles the program and runs it.
    ///
    /// - Parameters:
    ///   - root: The package's folder.
    ///   - build: The folder of a debug build.
    ///   - folder: An empty folder for everything that is written.
    init(package root: URL, build: URL, in folder: URL) throws {
        self.root = root
        self.build = build
        self.folder = folder
        for module in Self.modules { try compile(module) }
        try link()
        try output(of: program, [folder.path])
    }

    private var program: String { folder.appending(path: "TracedPaths").path }

    /// The name that SwiftPM gives the compiler: the folder's, as an identifier.
    private var packageName: String {
        root.lastPathComponent.lowercased().replacing(/\W/, with: "_")
    }

    private var flags: [String] {
        get throws {
            let sources = root.appending(path: "Sources")
            let maps = try FileManager.default.contentsOfDirectory(atPath: sources.path)
                .flatMap { ["\($0)/module.modulemap", "\($0)/include/module.modulemap"] }
                .map { sources.appending(path: $0).path }
                .filter { FileManager.default.fileExists(atPath: $0) }
            let features = [
                "InternalImportsByDefault", "MemberImportVisibility", "ExistentialAny",
            ]
            let plugin = build.appending(path: "AnabranchMacros-tool").path + "#AnabranchMacros"
            var flags = [
                "-Onone", "-enable-testing", "-swift-version", "6", "-DDEBUG",
                "-profile-generate", "-profile-coverage-mapping",
                "-package-name", packageName,
                "-I", build.appending(path: "Modules").path, "-load-plugin-executable", plugin,
            ]
            for feature in features { flags += ["-enable-upcoming-feature", feature] }
            for map in maps { flags += ["-Xcc", "-fmodule-map-file=\(map)"] }
            return flags
        }
    }

    private func compile(_ module: String) throws {
        let sources = try Self.files(
            below: root.appending(path: "Sources/\(module)"), named: ".swift")
        let objects = Dictionary(
            uniqueKeysWithValues: sources.map { source in
                let name = URL(filePath: source).lastPathComponent
                return (source, ["object": folder.appending(path: "\(module).\(name).o").path])
            })
        let map = folder.appending(path: "\(module).json")
        try JSONSerialization.data(withJSONObject: objects).write(to: map)
        var arguments = ["-c", "-wmo", "-num-threads", "2", "-parse-as-library"]
        arguments += ["-module-name", module, "-output-file-map", map.path]
        try output(of: "swiftc", arguments + flags + sources)
    }

    private func link() throws {
        let others = try Self.others.flatMap {
            try Self.files(below: build.appending(path: "\($0).build"), named: ".o")
        }
        let source = root.appending(path: "Tests/TracedPaths/TracedPaths.swift").path
        var arguments = try flags + ["-parse-as-library", "-module-name", "TracedPaths", source]
        arguments += try Self.files(below: folder, named: ".o") + others
        let libraries = ["-lsqlite3", "-lsodium", "-licui18n", "-licuuc"]
        try output(of: "swiftc", arguments + libraries + ["-o", program])
    }

    /// Returns the files of an operation, as paths below `Sources` without an extension.
    ///
    /// A file counts if one of its functions ran. Initializers, accessors, initial values, closures
    /// and default arguments do not count.
    func files(of operation: String) throws -> Set<String> {
        let profile = folder.appending(path: "\(operation).profdata").path
        let counters = folder.appending(path: "\(operation).profraw").path
        try output(of: "llvm-profdata", ["merge", "-sparse", counters, "-o", profile])
        let text = try output(
            of: "llvm-cov", ["export", program, "-instr-profile", profile])
        let export = try JSONDecoder().decode(Export.self, from: text)
        let sources = root.appending(path: "Sources").path + "/"
        return Set(
            export.data.flatMap(\.functions).filter { $0.count > 0 && $0.isFunction }
                .flatMap(\.filenames).filter { $0.hasPrefix(sources) }
                .map { String($0.dropFirst(sources.count).dropLast(".swift".count)) })
    }

    // MARK: - Files and programs

    private static func files(below folder: URL, named ending: String) throws -> [String] {
        let all = FileManager.default.enumerator(atPath: folder.path)
        return (all?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(ending) }.sorted()
            .map { folder.appending(path: $0).path }
    }

    /// Runs a program of the toolchain, or one that a path names, and returns its output.
    @discardableResult
    private func output(of program: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL =
            program.hasPrefix("/") ? URL(filePath: program) : Self.tool(program)
        // A program with counters leaves an empty file where it runs.
        process.currentDirectoryURL = folder
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ProgramFailure(program: program, status: process.terminationStatus)
        }
        return data
    }

    struct ProgramFailure: Error {
        let program: String
        let status: Int32
    }

    /// A program of the toolchain that has the first `swift` on the path.
    private static func tool(_ name: String) -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let swift = path.split(separator: ":").map { URL(filePath: "\($0)/swift") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        let folder = (swift ?? URL(filePath: "/usr/bin/swift")).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        return folder.appending(path: name)
    }
}

/// What `llvm-cov export` writes, as far as it is read.
private struct Export: Decodable {
    let data: [Object]

    struct Object: Decodable {
        let functions: [Function]
    }

    struct Function: Decodable {
        let name: String
        let count: Int
        let filenames: [String]

        /// True for a function or a static function, by the end of its mangled name.
        var isFunction: Bool { name.hasSuffix("F") || name.hasSuffix("FZ") }
    }
}
