import Foundation

/// The output and the files of one run of `Scripts/docs`.
struct SiteRun {
    let status: Int32
    let output: String
    let errors: String
    let graphs: [SymbolGraph]
    let hasWrittenSite: Bool

    /// The package's own site, which the first test that needs it builds.
    static let package = Result { try SiteRun(package: SourceTree.packageRoot.get()) }

    /// Builds the site of the modules beside this test, in a temporary folder that is removed.
    ///
    /// - Parameter catalogue: The folder with the articles; `nil` for the package's own.
    init(package root: URL, catalogue: URL? = nil) throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "site-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let site = folder.appending(path: "site").path
        let symbols = folder.appending(path: "symbols").path
        let modules = URL(filePath: CommandLine.arguments[0])
            .deletingLastPathComponent().appending(path: "Modules")

        let process = Process()
        process.executableURL = root.appending(path: "Scripts/docs")
        process.arguments =
            ["--modules", modules.path, "--output", site, "--symbols", symbols]
            + (catalogue.map { ["--catalogue", $0.path] } ?? [])
        let logs = try ["output", "errors"].map { name in
            let file = folder.appending(path: name)
            try Data().write(to: file)
            return try FileHandle(forWritingTo: file)
        }
        process.standardOutput = logs[0]
        process.standardError = logs[1]
        try process.run()
        process.waitUntilExit()

        status = process.terminationStatus
        output = try String(contentsOf: folder.appending(path: "output"), encoding: .utf8)
        errors = try String(contentsOf: folder.appending(path: "errors"), encoding: .utf8)
        hasWrittenSite = files.fileExists(atPath: site + "/metadata.json")
        let names = (try? files.contentsOfDirectory(atPath: symbols).sorted()) ?? []
        graphs = try names.filter { $0.hasSuffix(".symbols.json") }.map { name in
            let data = try Data(contentsOf: URL(filePath: "\(symbols)/\(name)"))
            return try JSONDecoder().decode(SymbolGraph.self, from: data)
        }
    }
}
