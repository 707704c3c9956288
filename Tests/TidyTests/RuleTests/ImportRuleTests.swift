import Testing

@Suite struct ImportRuleTests {
    private func violations(_ source: String, in folder: String) -> [Violation] {
        ImportRule().violations(in: SourceFile(path: "\(folder)/Room/File.swift", text: source))
    }

    @Test(arguments: [
        ("Server/AnabranchServer", "import Anabranch"),
        ("Server/AnabranchServer", "package import AnabranchStore"),
        ("Server/AnabranchServer", "@_exported public import AnabranchModel"),
        ("Sources/AnabranchReplication", "import Dispatch"),
        ("Sources/AnabranchReplication", "import Glibc"),
        ("Sources/AnabranchReplication", "import AnabranchModel"),
        ("Sources/AnabranchProtocol", "import Synchronization"),
        ("Sources/AnabranchModel", "import CSQLite"),
        ("Sources/AnabranchStore", "import CSQLite"),
        ("Sources/Anabranch", "import AnabranchSQLite"),
        ("Sources/Anabranch", "import FoundationNetworking"),
        ("Client/AnabranchCLI", "import AnabranchStore"),
        ("Client/AnabranchCLI", "#if DEBUG\n@testable import AnabranchProtocol\n#endif"),
        ("Examples/Tour", "import AnabranchStore"),
        ("Sources/Unheard", "import Foundation"),
    ])
    func `a forbidden import is reported with its module`(_ folder: String, _ source: String) {
        #expect(violations(source, in: folder).count == 1)
    }

    @Test(arguments: [
        ("Server/AnabranchServer", "import AnabranchSQLite\nimport CMicroHTTPD\nimport Glibc"),
        ("Sources/AnabranchReplication", "internal import CSodium"),
        ("Sources/AnabranchSQLite", "public import CSQLite\nimport Dispatch\nimport Glibc"),
        ("Sources/AnabranchModel", "import Foundation\nimport FoundationXML"),
        ("Sources/Anabranch", "@_exported public import AnabranchModel\nimport Observation"),
        ("Client/AnabranchCLI", "import Anabranch\nimport AnabranchSync"),
        ("Examples/Tour", "import Anabranch\nimport Foundation"),
        ("Tests/AnabranchTests", "import AnabranchSQLite"),
        ("Benchmarks/Rows", "import CSQLite"),
    ])
    func `an import that the table allows passes`(_ folder: String, _ source: String) {
        #expect(violations(source, in: folder).isEmpty)
    }

    @Test func `the manifest of an example belongs to no module`() {
        let manifest = SourceFile(
            path: "Examples/Tour/Package.swift", text: "import PackageDescription")
        #expect(ImportRule().violations(in: manifest).isEmpty)
    }

    @Test(arguments: ["AnabranchReplication", "AnabranchProtocol", "AnabranchSQLite"])
    func `Foundation is only the fallback for FoundationEssentials`(_ module: String) {
        let fallback = """
            #if canImport(FoundationEssentials)
            import FoundationEssentials
            #else
            import Foundation
            #endif
            """
        let folder = "Sources/\(module)"
        #expect(violations(fallback, in: folder).isEmpty)
        #expect(violations("import Foundation", in: folder).count == 1)
        #expect(violations("import FoundationEssentials", in: folder).count == 1)
        #expect(
            violations("#if canImport(FoundationEssentials)\nimport Foundation\n#endif", in: folder)
                .map(\.line) == [2])
    }

    @Test func `the message names the place and what to do`() throws {
        let found = try #require(
            violations("\nimport AnabranchStore", in: "Server/AnabranchServer").first)
        #expect("\(found)".hasPrefix("Server/AnabranchServer/Room/File.swift:2: AnabranchServer "))
        #expect(found.message.contains("may not import AnabranchStore"))
        #expect(found.message.contains("Move the code"))
    }
}
