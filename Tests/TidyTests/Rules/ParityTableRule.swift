/// A rule: the table of parity with Core Data has a row for each ID, and each row names a test or
/// says that its subject is not built.
struct ParityTableRule {
    let path: String
    let ids: [String]

    /// The IDs of the specified areas and of the statements.
    static let specified: [String] =
        ids("C", 1...22) + ids("D", 1...17) + ids("E", 1...21) + ids("F", 1...9)
        + ids("I", 1...15) + ids("J", 1...18)
        + [
            "ObjectsDidChange", "WillSave", "DidSave", "DidSaveObjectIDs",
            "DidMergeChangesObjectIDs", "StoresDidChange", "WillRemoveStore", "RemoteChange",
        ].map { "L.\($0)" }
        + statements("A", 1...15) + statements("B", 17...33) + statements("C", 35...49)
        + statements("D", 51...65) + statements("E", 67...81) + statements("F", 83...89)
        + statements("G", 91...103) + statements("H", 105...111) + statements("I", 113...119)
        + statements("J", 121...129) + statements("N", 171...181)

    private static func ids(_ area: String, _ range: ClosedRange<Int>) -> [String] {
        range.map { "\(area)\($0)" }
    }

    private static func statements(_ section: String, _ range: ClosedRange<Int>) -> [String] {
        range.filter { !$0.isMultiple(of: 2) }.map { "6.\(section).\($0)" }
    }

    func violations(in file: SourceFile) -> [Violation] {
        guard file.path == path else { return [] }
        var found: Set<String> = []
        var violations: [Violation] = []
        for (index, line) in file.lines.enumerated() {
            guard let row = line.wholeMatch(of: /\| ([A-Z0-9][^ |]*[0-9a-zA-Z][^|]*) \| .* \|/)
            else { continue }
            let id = String(row.1)
            guard id != "ID" else { continue }
            found.insert(id)
            guard TestReferenceRule.references(in: line).isEmpty,
                !line.contains("| \(ScenarioTableRule.notBuilt)")
            else { continue }
            violations.append(
                Violation(
                    path: path, line: index + 1, message: "The row \(id) names no test. Name one."))
        }
        return violations
            + ids.filter { !found.contains($0) }.map {
                Violation(path: path, line: 1, message: "There is no row \($0). Add it.")
            }
    }
}
