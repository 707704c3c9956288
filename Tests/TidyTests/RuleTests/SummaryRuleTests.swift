import Foundation
import Testing

@Suite struct SummaryRuleTests {
    /// A graph of one property, in the form that the toolchain writes.
    private func violations(comment: String?, location: String? = nil) throws -> [Violation] {
        let lines = comment?.split(separator: "\n", omittingEmptySubsequences: false).map {
            "{ \"text\": \"\($0)\" }"
        }
        let members = [
            lines.map { "\"docComment\": { \"lines\": [\($0.joined(separator: ", "))] }" },
            location.map { "\"location\": { \"uri\": \"\($0)\", \"position\": { \"line\": 6 } }" },
            "\"kind\": { \"identifier\": \"swift.property\", \"displayName\": \"Property\" }",
            "\"pathComponents\": [\"Sample\", \"count\"]",
        ].compactMap(\.self)
        let text = "{ \"symbols\": [{ \(members.joined(separator: ", ")) }] }"
        let graph = try JSONDecoder().decode(SymbolGraph.self, from: Data(text.utf8))
        return SummaryRule(root: "file:///p/").violations(in: graph)
    }

    @Test(arguments: ["The number of rows.", "\n  Rows.\n\n- Note: Few."])
    func `a symbol with a summary passes`(_ comment: String) throws {
        #expect(try violations(comment: comment).isEmpty)
    }

    @Test(arguments: [nil, "", " \n", "- Parameter a: One.", "## Heading", "```swift\na\n```"])
    func `a symbol without a summary is reported`(_ comment: String?) throws {
        let found = try violations(comment: comment, location: "file:///p/Sources/A/B.swift")
        #expect(found.map(\.path) == ["Sources/A/B.swift"] && found.map(\.line) == [7])
        #expect(found[0].message.hasPrefix("Property Sample.count is public"))
    }

    @Test func `a symbol that the compiler has generated is reported by its name`() throws {
        #expect(try violations(comment: nil).map(\.path) == ["Sample.count"])
    }
}
