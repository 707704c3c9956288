import Anabranch
import AnabranchConversion
import Foundation

/// Makes a store of a Core Data or SwiftData store.
struct ConvertCommand: Command {
    static let specification = CommandSpecification(
        name: "convert", summary: "Makes a store of a Core Data or SwiftData store.",
        discussion: [
            "FILE is the .sqlite file of an app. It is only read, with the -wal file and the "
                + "folder of external values beside it. Close the app before: the conversion ends "
                + "without a store if the file changes meanwhile.",
            "Every value that can't be kept exactly as it is, or that the model does not allow, "
                + "is listed with the object's URI, what was found and what was stored.",
            "The transactions of a persistent history become change sets with their authors, "
                + "context names and times. The history does not keep old values, so objects have "
                + "their present ones from their insertion on.",
            "The conversion of a file always gives the same store. If STORE is there already, it "
                + "stays as it is.",
        ],
        arguments: [
            ArgumentSpecification("FILE", "The .sqlite file of an app.", isFile: true), .store,
        ],
        options: [
            OptionSpecification(
                "model", "FILE",
                "The model file of Xcode, or the app's .momd; by default the model that the app "
                    + "has kept in its file."),
            OptionSpecification(
                "model-version", "NAME",
                "The version in an .xcdatamodeld; by default the current one."),
            .json,
        ],
        examples: [
            .init("convert Notes.sqlite notes.store", "Makes notes.store of an app's file."),
            .init(
                "convert Old.sqlite old.store --model Old.xcdatamodeld",
                "Uses a model file for a store that keeps no model."),
        ])

    let source: String
    let path: String
    let model: String?
    let version: String?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        source = try arguments.word("FILE")
        path = try arguments.word("STORE")
        model = arguments.text("model")
        version = arguments.text("model-version")
        guard version == nil || model != nil else {
            throw arguments.error("--model-version needs --model FILE.")
        }
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        var conversion = StoreConversion(
            source: URL(fileURLWithPath: source),
            model: try model.map { try ModelFile.read($0, version: version, console) })
        let progress = ProgressBar(console, unit: "objects")
        conversion.progress = { done, total in
            progress.update(fraction: Double(done) / Double(max(total, 1)), count: done)
        }
        defer { progress.finish() }
        let report = try conversion.run(to: URL(fileURLWithPath: path))
        progress.finish()
        if model == nil {
            for warning in report.model.warnings { console.writeNote("anabranch: \(warning)") }
        }
        try console.print(isJSON ? json(report) : text(report))
    }

    private func text(_ report: ConversionReport) -> String {
        var lines = [title(report)]
        lines += counts(report).map { "  \($0.entity): \($0.count)" }
        if let history = report.history { lines += self.lines(history) }
        guard !report.doubts.isEmpty else { return lines.joined(separator: "\n") }
        let count = report.doubts.count
        lines.append(count == 1 ? "1 doubtful value:" : "\(count) doubtful values:")
        return (lines + report.doubts.map { "  \($0)" }).joined(separator: "\n")
    }

    private func title(_ report: ConversionReport) -> String {
        switch report.outcome {
        case .unchanged: return "\(path) has been made of \(source) before, and stays as it is."
        case .created:
            let objects = report.objectCount == 1 ? "1 object" : "\(report.objectCount) objects"
            let links = report.linkCount == 1 ? "1 link" : "\(report.linkCount) links"
            return "Made \(path) of \(source), with \(objects) and \(links):"
        }
    }

    private func lines(_ history: ConvertedHistory) -> [String] {
        [
            "Its history:", "  transactions: \(history.transactionCount)",
            "  kept as change sets: \(history.keptTransactionCount)",
            "  deleted objects: \(history.deletedObjectCount)",
        ]
    }

    private func counts(_ report: ConversionReport) -> [(entity: String, count: Int)] {
        report.objectCounts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func json(_ report: ConversionReport) -> String {
        JSONText.object { json in
            json.member("store", path)
            json.member("outcome", report.outcome.rawValue)
            json.member("sourceUUID", report.sourceUUID)
            json.object("objects") { json in
                for (entity, count) in counts(report) { json.member(entity, count) }
            }
            json.member("links", report.linkCount)
            if let history = report.history { write(history, &json) }
            json.array("doubts") { json in
                for doubt in report.doubts { json.object { write(doubt, &$0) } }
            }
        }
    }

    private func write(_ history: ConvertedHistory, _ json: inout JSONText) {
        json.object("history") { json in
            json.member("transactions", history.transactionCount)
            json.member("kept", history.keptTransactionCount)
            json.member("deletedObjects", history.deletedObjectCount)
        }
    }

    private func write(_ doubt: ConversionDoubt, _ json: inout JSONText) {
        json.member("entity", doubt.entity)
        if let uri = doubt.uri { json.member("object", uri) }
        if let property = doubt.property { json.member("property", property) }
        json.member("found", doubt.found)
        json.member("stored", doubt.stored)
    }
}
