import Foundation
import TestSupport
import Testing

/// Tests of what `import Anabranch` makes public, which is all that an app sees.
///
/// A declaration that no app needs is `package` (decision 35).
@Suite(.long) struct InterfaceGoldenTests {
    private let graphs: [SymbolGraph]
    private let interface: PublicInterface
    private let ofAllModules: PublicInterface

    init() throws {
        let base = try SourceTree.packageRoot.get().absoluteString
        let root = base.hasSuffix("/") ? base : base + "/"
        graphs = try SiteRun.package.get().graphs
        interface = PublicInterface(graphs, root: root)
        ofAllModules = PublicInterface(graphs, root: root, folders: ["Sources/", "Server/"])
    }

    @Test func `each change of the public interface is in the golden list`() {
        Golden.expect(
            interface.lines.map { $0 + "\n" }.joined(), matches: "PublicInterface.txt")
    }

    @Test func `the public interface does not grow`() {
        #expect(interface.lines.count > 1_000)
        #expect(interface.lines.count <= 1_598, "Make package what no app needs.")
        #expect(interface.types.count <= 150, "Make package what no app needs, or nest it.")
    }

    /// Names that apps and other packages give to types of their own. A second type of that name
    /// has to be written with its module, as in `ForeignNamesApp`.
    private static let usualNames = Result {
        let files = try SourceTree.package.get().files
        let list = try #require(files.first { $0.path == "Tests/ForeignNames/ForeignNames.swift" })
        return Set(list.text.matches(of: /public enum (\w+)/).map { String($0.1) })
    }
    @Test func `types do not take names that apps use`() throws {
        let names = try Self.usualNames.get()
        #expect(names.count > 60)
        #expect(ofAllModules.types.isStrictSuperset(of: interface.types))
        let taken = ofAllModules.types.intersection(names).sorted()
        #expect(taken == [], "Give the type a name of its own.")
    }

    /// An enumeration that may grow is a structure with static members instead.
    @Test func `each public enumeration says that it is closed`() throws {
        let symbols = graphs.flatMap(\.symbols).filter { $0.location != nil }
        let names = Set(
            symbols.filter { $0.kind.identifier == "swift.enum.case" }
                .map { $0.pathComponents.dropLast().joined(separator: ".") })
        let enumerations = symbols.filter { $0.kind.identifier == "swift.enum" }
            .filter { names.contains($0.pathComponents.joined(separator: ".")) }
        #expect(enumerations.count > 15)
        for enumeration in enumerations {
            let text = (enumeration.docComment?.lines ?? []).map(\.text).joined(separator: " ")
            #expect(
                text.contains("It is closed: only a new major version adds a case."),
                "\(enumeration.pathComponents.joined(separator: ".")) does not say it.")
        }
    }
}
