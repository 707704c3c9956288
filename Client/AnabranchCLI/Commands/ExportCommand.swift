import Anabranch
import AnabranchConversion
import Foundation

/// Writes the records of an entity to standard output, or all records as tables of a database.
struct ExportCommand: Command {
    enum Format: String, CaseIterable { case json, jsonl, csv }

    static let specification = CommandSpecification(
        name: "export", summary: "Writes records as JSON, CSV or plain tables.",
        discussion: [
            "The format json is one array, and jsonl is one object a line. A relationship is "
                + "written as the ID of its record. With --columns country.code it is written as "
                + "that attribute, which 'import --link' can read again. Several values in one "
                + "CSV field are separated by ';' or by the character of --separator; use the "
                + "same for 'import'.",
            "In CSV a missing value is an empty field, and the empty text is \"\". In a table of "
                + "one column a missing value is \"\" too, because 'import' skips empty lines.",
            "With --sqlite, ENTITY is left out and all records are written as plain tables of a "
                + "new SQLite database: one table for each entity, and one for each list and for "
                + "each many-to-many relationship. Dates are seconds since 1970, which 'import "
                + "--dates seconds-since-1970' reads. They are exact to the microsecond.",
            "JSON and CSV are exact: 'import' reads the same values from them. The time of a date "
                + "has as many decimals as that needs.",
            "A record that changes during the export is written with its values at that moment.",
        ],
        arguments: [
            .store,
            ArgumentSpecification(
                "ENTITY", "The name of an entity; not with --sqlite.", isRequired: false),
        ],
        options: [
            OptionSpecification(
                "sqlite", "FILE", "The new SQLite database for the tables of all entities."),
            OptionSpecification("format", "json|jsonl|csv", "The output format; json by default."),
            OptionSpecification(
                "separator", "CHARACTER",
                "The separator of several values in a CSV field; ';' by "
                    + "default."),
        ] + RecordQuery.options,
        examples: [
            .init(
                "export geo.store City --format csv --columns code,name,country.code >cities.csv",
                "Writes three columns."),
            .init("export geo.store --sqlite geo.sqlite", "Writes every record as tables."),
        ])

    let path: String
    let entity: String?
    let database: String?
    let format: Format
    let separator: Character
    let query: RecordQuery

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        database = arguments.text("sqlite")
        entity = database == nil ? try arguments.word("ENTITY") : arguments.optionalWord("ENTITY")
        guard database == nil || entity == nil else {
            throw arguments.error("--sqlite writes every entity, so name none.")
        }
        format = try arguments.choice("format") ?? .json
        separator = try arguments.separator()
        query = try RecordQuery(arguments)
    }

    func run(_ console: Console) async throws {
        if let database { return try writeTables(to: database, console) }
        guard let entity else { return }
        try StoreFile.withContext(path, for: .reading) { context in
            let entity = try EntityNames.entity(entity, in: context.model, command: query.command)
            let columns = try query.columns(of: entity, isToManyIncluded: true)
            let progress = ProgressBar(console, unit: "records")
            defer { progress.finish() }
            var count = 0
            try writeStart(columns, console)
            try query.forEachPiece(of: entity, in: context) { objects in
                for object in objects {
                    try write(object, columns, isFirst: count == 0, console)
                    count += 1
                }
                progress.update(fraction: nil, count: count)
            }
            if format == .json { try console.print(count == 0 ? "]" : "\n]") }
        }
    }

    private func writeTables(to database: String, _ console: Console) throws {
        // The command's own check of the file has better messages.
        try StoreFile.open(path, for: .reading).coordinator.close()
        let export = TableExport(store: URL(fileURLWithPath: path))
        let count = try export.run(to: URL(fileURLWithPath: database))
        try console.print("Wrote \(count) records of \(path) to \(database).")
    }

    private func writeStart(_ columns: [RecordColumn], _ console: Console) throws {
        switch format {
        case .json: try console.output.write("[")
        case .jsonl: break
        case .csv: try console.print(columns.map { CSVText.field($0.name) }.joined(separator: ","))
        }
    }

    private func write(
        _ object: ManagedObject, _ columns: [RecordColumn], isFirst: Bool, _ console: Console
    ) throws {
        let output = RecordOutput(columns: columns, isJSON: true)
        switch format {
        case .json: try console.output.write((isFirst ? "\n" : ",\n") + (try output.json(object)))
        case .jsonl: try console.print(try output.json(object))
        case .csv:
            let contents = try columns.map { try $0.content(of: object) }
            try console.print(try CSVText.row(contents, separator: separator))
        }
    }
}
