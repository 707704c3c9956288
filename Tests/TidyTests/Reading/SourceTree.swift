import Foundation
import Synchronization

/// The package on the disk: every text file that git does not ignore.
struct SourceTree: Sendable {
    let root: URL
    /// The files, sorted by path.
    let files: [SourceFile]
    /// Every file and folder, binary ones too, below the root.
    let paths: Set<String>

    /// The package's tree, read once by the first test that needs it.
    static let package = Result { try SourceTree(root: packageRoot.get()) }

    /// The folder of `Package.swift`.
    static let packageRoot = Result { try root(above: #filePath) }

    private static func root(above file: String) throws -> URL {
        var folder = URL(filePath: file).deletingLastPathComponent()
        while folder.path.count > 1 {
            let manifest = folder.appending(path: "Package.swift")
            if FileManager.default.fileExists(atPath: manifest.path) { return folder }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: file])
    }

    init(root: URL) throws {
        self.root = root
        let ignored = IgnoredNames(root: root)
        var (texts, paths) = ([(path: String, text: String, isExecutable: Bool)](), Set<String>())
        try Self.visit("", below: root, ignored: ignored) { path in
            paths.insert(path)
            let place = root.appending(path: path).path
            guard let data = FileManager.default.contents(atPath: place),
                let text = String(data: data, encoding: .utf8)
            else { return }
            let isExecutable = FileManager.default.isExecutableFile(atPath: place)
            texts.append((path, text, isExecutable))
        }
        for path in paths {
            var folder = path[...]
            while let slash = folder.lastIndex(of: "/") {
                folder = folder[..<slash]
                paths.insert(String(folder))
            }
        }
        self.paths = paths
        let found = texts
        let files = Mutex([SourceFile]())
        // Most of the time goes into splitting the files into tokens.
        DispatchQueue.concurrentPerform(iterations: found.count) { place in
            let (path, text, isExecutable) = found[place]
            let file = SourceFile(path: path, text: text, isExecutable: isExecutable)
            files.withLock { $0.append(file) }
        }
        self.files = files.withLock { $0 }.sorted { $0.path < $1.path }
    }

    private static func visit(
        _ folder: String, below root: URL, ignored: IgnoredNames, _ body: (String) -> Void
    ) throws {
        let place = root.appending(path: folder).path
        for name in try FileManager.default.contentsOfDirectory(atPath: place).sorted() {
            guard !ignored.contains(name) else { continue }
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: root.appending(path: path).path, isDirectory: &isFolder)
            if exists, isFolder.boolValue {
                try visit(path, below: root, ignored: ignored, body)
            } else {
                body(path)
            }
        }
    }
}

/// The names that `.gitignore` at the root excludes, if they are plain names or `*.suffix`.
private struct IgnoredNames {
    private var names: Set<String> = [".git"]
    private var suffixes: [String] = []

    init(root: URL) {
        let place = root.appending(path: ".gitignore").path
        let text = FileManager.default.contents(atPath: place) ?? Data()
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let entry = line.hasSuffix("/") ? line.dropLast() : line
            if entry.hasPrefix("*.") {
                suffixes.append(String(entry.dropFirst()))
            } else if !entry.hasPrefix("#"), !entry.contains("/") {
                names.insert(String(entry))
            }
        }
    }

    func contains(_ name: String) -> Bool {
        names.contains(name) || suffixes.contains { name.hasSuffix($0) }
    }
}
