import Anabranch
import Foundation

/// Checks a model file, all its versions, and lists their errors and warnings.
struct ModelCheckCommand: Command {
    static let specification = CommandSpecification(
        name: "model check", summary: "Checks a model file and lists its errors and warnings.",
        discussion: [
            "Every version in an .xcdatamodeld is checked. Each error and warning is printed with "
                + "its file and line. The exit status is 65 if a version can't be used."
        ],
        arguments: [
            ArgumentSpecification(
                "FILE", "A model file of Xcode: an .xcdatamodeld or .xcdatamodel.", isFile: true)
        ],
        options: [
            OptionSpecification(
                "model-version", "NAME", "Checks only this version of an .xcdatamodeld."),
            .json,
        ],
        examples: [
            .init("model check Geo.xcdatamodeld", "Checks every version of a model.")
        ])

    let path: String
    let version: String?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("FILE")
        version = arguments.text("model-version")
        isJSON = arguments.isSet("json")
    }

    /// The result of reading one version.
    private struct Finding {
        /// The name in an .xcdatamodeld; `nil` for a model without versions.
        let version: String?
        let isCurrent: Bool
        let result: Result<ManagedObjectModel, ModelError>

        var warnings: [ModelWarning] { (try? result.get().warnings) ?? [] }

        var errors: [ModelError] {
            if case .failure(let error) = result { error.all } else { [] }
        }
    }

    func run(_ console: Console) async throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(.noInput, "There is no model \(path).")
        }
        let findings = try self.findings()
        for finding in findings {
            try console.print(isJSON ? json(finding) : text(finding))
        }
        let refused = findings.filter { !$0.errors.isEmpty }
        guard let first = refused.first else { return }
        if findings.count == 1, first.errors.allSatisfy({ $0.code == .unreadable }) {
            throw CommandFailure(.noInput, "Can't read \(path).")
        }
        throw CommandFailure(
            .data,
            findings.count == 1
                ? "Can't use \(path) because of \(Quantity.text(first.errors.count, "error"))."
                : "Can't use \(refused.count) of \(findings.count) versions of \(path).")
    }

    private func findings() throws -> [Finding] {
        let url = URL(fileURLWithPath: path)
        guard url.pathExtension == "xcdatamodeld", version == nil else {
            return [finding(version, isCurrent: true, of: url)]
        }
        let versions = try ManagedObjectModel.versions(of: url)
        if !versions.contains(where: \.isCurrent) {
            // Reading without a name reports what is missing or wrong about the mark.
            return [finding(nil, isCurrent: true, of: url)]
                + versions.map { finding($0.name, isCurrent: false, of: url) }
        }
        return versions.map { finding($0.name, isCurrent: $0.isCurrent, of: url) }
    }

    private func finding(_ version: String?, isCurrent: Bool, of url: URL) -> Finding {
        Finding(
            version: version, isCurrent: isCurrent,
            result: Result { () throws(ModelError) in
                try ManagedObjectModel.reading(url, version: version)
            })
    }

    // MARK: - Output

    private func text(_ finding: Finding) -> String {
        let errors = finding.errors.map { Self.line("error", Problem($0)) }
        let warnings = finding.warnings.map { Self.line("warning", Problem($0)) }
        return (errors + warnings + [summary(finding)]).joined(separator: "\n")
    }

    private static func line(_ kind: String, _ problem: Problem) -> String {
        let place = [problem.file, problem.line.map(String.init)].compactMap { $0 }
        return (place.isEmpty ? "" : place.joined(separator: ":") + ": ")
            + "\(kind): \(TerminalText.printable(problem.message)) (\(problem.code))"
    }

    private func summary(_ finding: Finding) -> String {
        let mark = finding.version != nil && finding.isCurrent ? " (current)" : ""
        let name = (finding.version ?? path) + mark
        switch finding.result {
        case .success(let model):
            let entities =
                model.entities.count == 1 ? "1 entity" : "\(model.entities.count) entities"
            let warnings = Quantity.text(finding.warnings.count, "warning")
            return "\(name): \(entities), \(finding.warnings.isEmpty ? "no warnings" : warnings)"
        case .failure:
            return "\(name): refused with \(Quantity.text(finding.errors.count, "error"))"
        }
    }

    private func json(_ finding: Finding) -> String {
        JSONText.object { json in
            json.member("file", path)
            json.member("version", finding.version)
            json.member("isCurrent", finding.isCurrent)
            json.member("isUsable", finding.errors.isEmpty)
            json.problems("errors", finding.errors.map(Problem.init))
            json.problems("warnings", finding.warnings.map(Problem.init))
        }
    }
}

/// An error or a warning as the members of a JSON object.
private struct Problem {
    let code, message: String
    let entity, property, file: String?
    let line: Int?

    init(_ error: ModelError) {
        (code, message) = (error.code.rawValue, error.message)
        (entity, property) = (error.entity, error.property)
        (file, line) = (error.file, error.line)
    }

    init(_ warning: ModelWarning) {
        (code, message) = (warning.code.rawValue, warning.message)
        (entity, property) = (warning.entity, warning.property)
        (file, line) = (warning.file, warning.line)
    }
}

extension JSONText {
    fileprivate mutating func problems(_ key: String, _ problems: [Problem]) {
        array(key) { json in
            for problem in problems {
                json.object { json in
                    json.member("code", problem.code)
                    json.member("message", problem.message)
                    json.member("entity", problem.entity)
                    json.member("property", problem.property)
                    json.member("file", problem.file)
                    json.member("line", problem.line)
                }
            }
        }
    }
}
