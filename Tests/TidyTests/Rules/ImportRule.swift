/// A rule: every import of a module is in the table.
struct ImportRule: FileRule {
    var table = ImportTable.anabranch

    func violations(in file: SourceFile) -> [Violation] {
        guard file.isSwift, file.components.count > 2, file.components.last != "Package.swift"
        else { return [] }
        let module = String(file.components[1])
        switch file.components[0] {
        case "Sources", "Server", "Client", "Plugins":
            guard let row = table.rows[module] else { return [unknown(module, in: file)] }
            return check(file, of: module, against: row)
        case "Examples":
            return check(file, of: module, against: .init(.whole, table.products))
        default:
            return []
        }
    }

    private func unknown(_ module: String, in file: SourceFile) -> Violation {
        Violation(
            path: file.path, line: 1,
            message: "\(module) isn't in the import table. Add it, with what it may import, to "
                + "Tests/TidyTests/Rules/ImportTable.swift.")
    }

    private func check(
        _ file: SourceFile, of module: String, against row: ImportTable.Row
    ) -> [Violation] {
        ImportStatement.all(in: file.tokens).compactMap { statement in
            refusal(of: statement, in: module, row: row).map {
                Violation(path: file.path, line: statement.line, message: $0)
            }
        }
    }

    /// Returns the reason why the import is not allowed, or `nil` if it is allowed.
    private func refusal(
        of statement: ImportStatement, in module: String, row: ImportTable.Row
    ) -> String? {
        let wanted = statement.module
        if wanted == module || row.modules.contains(wanted) { return nil }
        if row.platform.modules.contains(wanted) { return nil }
        if row.platform.isEssentials, wanted == "Foundation" || wanted == "FoundationEssentials" {
            return refusalOfFoundation(statement, in: module)
        }
        let allowed = row.modules.union(row.platform.modules).sorted().joined(separator: ", ")
        return "\(module) may not import \(wanted), only \(allowed). Move the code to a module "
            + "that may, or pass in what it needs."
    }

    private func refusalOfFoundation(_ statement: ImportStatement, in module: String) -> String? {
        let condition = "canImport(FoundationEssentials)"
        let wanted = statement.module == "Foundation" ? "!(\(condition))" : condition
        if statement.conditions.contains(wanted) { return nil }
        return "\(module) may import Foundation only as the fallback for FoundationEssentials. "
            + "Write #if \(condition), import FoundationEssentials, #else, import Foundation, "
            + "#endif."
    }
}
