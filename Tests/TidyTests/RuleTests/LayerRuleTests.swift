import Foundation
import Testing

/// Tests of the order of layers on a small module that is compiled with an index.
@Suite struct LayerRuleTests {
    private static let document = """
        # Title
        ### Sources/Sample
        - `Low`, `Lower`: the values.
        - `.`: the entry point.
        - `High`: what stands above.

        ## Next chapter
        - `Nothing`: is not in the list.
        """

    private static func violations(_ low: String, document: String = document) throws -> [Violation]
    {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "layers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let sources = [
            "Low/Low.swift": low,
            "High/High.swift": """
            struct High { let low = Low() }
            extension Low { func rise() {} }
            """,
        ]
        var arguments = ["-module-name", "Sample", "-parse-as-library", "-index-store-path"]
        arguments += [folder.appending(path: "index").path, "-index-ignore-system-modules", "-c"]
        for (path, text) in sources.sorted(by: { $0.key < $1.key }) {
            let file = folder.appending(path: "Sources/Sample/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            arguments.append(file.path)
        }
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["swiftc"] + arguments
        compiler.currentDirectoryURL = folder
        try compiler.run()
        compiler.waitUntilExit()
        let index = try #require(
            IndexStore(path: folder.appending(path: "index").path, root: folder))
        let module = try #require(LayerList(of: document).modules.first)
        let occurrences = index.occurrences(below: [module.path + "/"])
        return LayerRule(module: module, occurrences: occurrences).violations()
    }

    @Test(
        .enabled("The toolchain has no libIndexStore.so.") { IndexLibrary.installed != nil },
        arguments: [
            ("struct Low { }", [Int]()),
            ("struct Low { }\nfunc make() -> High? { nil }", [2]),
            ("struct Low { }\n\nfunc rise(_ low: Low) { low.rise() }", [3]),
        ])
    func `a use of a higher layer is found, of a type and of a member`(
        low: String, lines: [Int]
    ) throws {
        let found = try Self.violations(low)
        #expect(Set(found.map(\.line)) == Set(lines))
        #expect(found.allSatisfy { $0.path == "Sources/Sample/Low/Low.swift" })
    }

    @Test(.enabled("The toolchain has no libIndexStore.so.") { IndexLibrary.installed != nil })
    func `an exception is allowed, and a folder that is not listed is named`() throws {
        let use = "struct Low { }\nfunc make() -> High? { nil }"
        let exception = "### Sources/Sample\n- `Low`: a.\n- `High`: b.\n"
        let excepted = exception + "- Exception: `Low` uses `High`, because it is a test.\n"
        #expect(try Self.violations(use, document: excepted).isEmpty)
        let unlisted = try Self.violations(use, document: "### Sources/Sample\n- `Low`: a.\n")
        #expect(unlisted.map(\.path) == ["Sources/Sample/High/High.swift"])
    }

    @Test func `the list has each layer's folders in order`() throws {
        let module = try #require(LayerList(of: Self.document).modules.first)
        #expect(module.layers == [["Low", "Lower"], ["."], ["High"]])
        #expect(module.layer(of: "Sources/Sample/Entry.swift")?.index == 1)
        #expect(module.layer(of: "Sources/Sample/High/Deep/A.swift")?.folder == "High")
        #expect(module.layer(of: "Sources/Other/High/A.swift") == nil)
        #expect(LayerList(of: Self.document).modules.count == 1)
    }
}
