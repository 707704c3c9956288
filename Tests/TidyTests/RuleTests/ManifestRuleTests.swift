import Testing

@Suite struct ManifestRuleTests {
    private func lines(_ text: String, path: String = "Package.swift") -> [Int] {
        ManifestRule().violations(in: SourceFile(path: path, text: text)).map(\.line)
    }

    @Test func `unsafe flags are refused in the root manifest alone`() {
        let flags = "let a = 1\nlet b: SwiftSetting = .unsafeFlags([\"-O\"])"
        #expect(lines(flags) == [2])
        #expect(lines(flags, path: "Benchmarks/Package.swift").isEmpty)
        #expect(lines("// no unsafeFlags here").isEmpty)
        #expect(lines("isFastForTests ? [.unsafeFlags(flags)] : []").isEmpty)
    }

    @Test func `a package as a dependency is refused`() {
        let dependency =
            "dependencies: [\n.package(url: \"https://example.org/a\", from: \"1.0.0\")]"
        #expect(lines(dependency) == [2])
        #expect(lines("// .package(url:\nlet package = Package(name: \"A\")").isEmpty)
    }

    @Test func `an example gives package access away`() {
        func target(_ path: String, _ rest: String = "") -> String {
            "\n.executableTarget(name: \"A\", dependencies: [\"B\"], path: \"\(path)\"\(rest)),"
        }
        #expect(lines(target("Examples/A")) == [2])
        #expect(lines(target("Examples/A", ", packageAccess: false")).isEmpty)
        #expect(lines(target("Server/A")).isEmpty)
        #expect(lines(target("Server/A", ", packageAccess: false") + target("Examples/A")) == [3])
    }
}
