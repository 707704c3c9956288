import Foundation
import Testing

/// Tests of the order of folders inside each module, by the index of the build that runs them.
@Suite struct LayerTests {
    private static let root = SourceTree.packageRoot
    private static let list = Result {
        let document = try root.get().appending(path: "Documentation/Architecture.md")
        return LayerList(of: try String(contentsOf: document, encoding: .utf8))
    }
    /// The index; `nil` if the toolchain can't read one, or if the build wrote none.
    private static let index: IndexStore? = {
        let build = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        guard let root = try? root.get() else { return nil }
        return IndexStore(path: build.appending(path: "index/store").path, root: root)
    }()

    @Test(
        .enabled("The toolchain has no libIndexStore.so, or the build no index.") { index != nil })
    func `a file uses its own layer and those below it`() throws {
        let root = try Self.root.get()
        let modules = try Self.list.get().modules
        let occurrences = try #require(Self.index).occurrences(below: modules.map { $0.path + "/" })
        #expect(occurrences.count > 50_000, "the index is not that of this package")
        for module in modules {
            let own = occurrences.filter { $0.path.hasPrefix(module.path + "/") }
            for violation in LayerRule(module: module, occurrences: own).violations() {
                Issue.record(
                    Comment(rawValue: violation.description),
                    sourceLocation: SourceLocation(
                        fileID: "Anabranch/\(violation.path)",
                        filePath: root.appending(path: violation.path).path,
                        line: violation.line, column: 1))
            }
        }
    }

    @Test func `every module with more than four folders is listed, with few exceptions`() throws {
        let modules = try Self.list.get().modules
        let listed = Set(modules.map(\.path))
        var folders: [String: Set<Substring>] = [:]
        for path in try SourceTree.package.get().files.filter(\.isSwift).map(\.path) {
            let parts = path.split(separator: "/")
            guard parts.count > 3, ["Sources", "Server", "Client", "Plugins"].contains(parts[0])
            else { continue }
            folders["\(parts[0])/\(parts[1])", default: []].insert(parts[2])
        }
        for (module, folders) in folders where folders.count > 4 {
            #expect(
                listed.contains(module), "Architecture.md does not list the layers of \(module)")
        }
        let exceptions = modules.map(\.exceptions.count).reduce(0, +)
        #expect(exceptions <= LayerRule.maximumExceptions)
    }
}
