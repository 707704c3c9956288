import Foundation
import Testing

/// Tests of the rules against the package itself.
@Suite struct PackageTests {
    private let tree: SourceTree

    init() throws { tree = try SourceTree.package.get() }

    private func check(_ violations: (SourceFile) -> [Violation]) {
        for violation in tree.files.flatMap(violations) {
            let place = tree.root.appending(path: violation.path).path
            Issue.record(
                Comment(rawValue: violation.description),
                sourceLocation: SourceLocation(
                    fileID: "Anabranch/\(violation.path)", filePath: place,
                    line: violation.line, column: 1))
        }
    }

    @Test func `the tree holds the package`() {
        #expect(tree.paths.contains("Package.swift"))
        #expect(tree.paths.contains("Sources/AnabranchReplication"))
        #expect(tree.files.count(where: \.isSwift) > 40)
        #expect(!tree.paths.contains { $0.hasPrefix(".git/") || $0.hasPrefix(".build/") })
    }

    @Test func `every module imports only what the table allows`() {
        check(ImportRule().violations)
    }

    @Test func `pure modules see no clock, no randomness and no file`() {
        check(PurityRule().violations)
    }

    @Test func `files, functions and lines keep their limits`() {
        check(SizeRule().violations)
    }

    @Test func `files, folders and types are named after concepts`() {
        check(NameRule().violations)
    }

    @Test func `a type is extended in few files`() {
        check(SpreadRule(files: tree.files).violations)
    }

    @Test func `shipped code does not trap without a message`() {
        check(TrapRule().violations)
    }

    @Test func `no file holds notes of unfinished work or paths of one machine`() {
        check(WordRule().violations)
    }

    @Test func `comments call no object a person`() {
        check(PronounRule().violations)
    }

    @Test func `doc comments begin with what the thing is or does`() {
        check(FragmentRule().violations)
    }

    @Test func `the manifest has no unsafe flags and keeps examples outside`() {
        check(ManifestRule().violations)
    }

    @Test func `scripts stop at errors, answer for help and are executable`() {
        check(ScriptRule().violations)
    }

    @Test func `links of documents have a target`() {
        check(LinkRule(files: tree.files, paths: tree.paths).violations)
    }

    @Test func `random tests take their seeds from the length of the run`() {
        check(SeedRule().violations)
    }

    @Test func `every filter of a script or a document selects a test`() {
        check(FilterRule(files: tree.files).violations)
    }

    @Test func `documents and comments name code that there is`() {
        check(CodeNameRule(files: tree.files, paths: tree.paths).violations)
    }

    @Test func `public errors have messages that apps show`() {
        check(ErrorRule().violations)
    }

    @Test func `other modules can inline what is inlinable`() {
        check(InliningRule(files: tree.files).violations)
    }

    @Test func `the invariants that comments cite name them`() throws {
        let document = tree.files.first { $0.path == InvariantRule.document }
        check(InvariantRule(try #require(document)).violations)
    }

    @Test func `documents name tests that there are`() {
        check(TestReferenceRule(files: tree.files).violations)
        check(ScenarioTableRule(path: "Documentation/Invariants.md", count: 56).violations)
        check(
            ParityTableRule(path: "Documentation/CoreDataParity.md", ids: ParityTableRule.specified)
                .violations)
    }

    @Test(arguments: ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"])
    func `the file at the top exists`(_ name: String) {
        #expect(tree.paths.contains(name), "\(name) is missing. Write it at the root.")
    }
}
