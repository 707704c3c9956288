import Anabranch

/// Puts the rows of a file into a store.
struct ImportCommand: Command {
    static let specification = CommandSpecification(
        name: "import", summary: "Puts the rows of a CSV or JSON file into a store.",
        discussion: [
            "A row becomes a record of ENTITY. A column fills the attribute of its name; "
                + "upper and lower case, '_', '-' and spaces make no difference, so that "
                + "official_name fills officialName. In a table an empty field is no value, and "
                + "\"\" is the empty text. Times are ISO 8601, data is base64, decimals are exact.",
            "JSON is an array of objects, objects one after the other, or (--member) an array "
                + "that is a member of one object. CSV is as RFC 4180 has it, in UTF-8; its first "
                + "line names the columns.",
            "A file is read twice: all its rows are checked before the first is written. "
                + "Standard input is checked batch by batch. Each batch is one save.",
        ],
        arguments: [
            .store, .entity,
            ArgumentSpecification("FILE", "What to read; - for standard input."),
        ],
        options: [
            OptionSpecification("format", "csv|json", "Without it the file's name tells."),
            OptionSpecification("member", "NAME", "The records are in this member's array."),
            OptionSpecification(
                "key", "ATTRIBUTE",
                "A row whose key a record has updates it; without --key every row is new."),
            OptionSpecification(
                "map", "COLUMN=PROPERTY", "Fills a property from a column of another name.",
                isRepeated: true),
            OptionSpecification(
                "link", "RELATIONSHIP=COLUMN:ENTITY.KEY",
                "Links to the record of ENTITY whose KEY the column holds. COLUMN[2] takes only "
                    + "its first two characters; {code[2]}-{parent} puts several together. Of a "
                    + "to-many the column holds several keys; links are added, none removed.",
                isRepeated: true),
            OptionSpecification(
                "allow-missing", "RELATIONSHIP",
                "Leaves the relationship empty where no record has the key.", isRepeated: true),
            .flag("skip-unknown", "Leaves out columns that ENTITY has no place for."),
            OptionSpecification("separator", "CHARACTER", "Between several keys; ; by default."),
            OptionSpecification(
                "delimiter", "CHARACTER", "Between CSV fields; , by default, or tab."),
            OptionSpecification("batch", "N", "Rows a save; 10000 by default."),
            .author, .json,
        ],
        examples: [
            .init(
                "import geo.store Country countries.csv --key code", "Adds or updates countries."),
            .init(
                "import geo.store City cities.json --link country=country_code:Country.code",
                "Adds cities and links each with its country."),
        ])

    let path: String
    let entity: String
    let file: String
    let isJSON: Bool
    let batch: Int
    let form: InputForm
    let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = try arguments.word("ENTITY")
        file = try arguments.word("FILE")
        isJSON = arguments.isSet("json")
        batch = try arguments.number("batch", in: 1...1_000_000) ?? 10_000
        form = try InputForm(path: file, arguments: arguments)
        self.arguments = arguments
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: .writing)
        defer { container.coordinator.close() }
        let model = container.model
        let entity = try EntityNames.entity(entity, in: model, command: arguments.command)
        let plan = try ImportPlan(entity: entity, model: model, arguments: arguments)
        let run = ImportRun(
            plan: plan, path: file, form: form, batchSize: batch,
            author: StoreFile.author(arguments), console: console)
        try write(try run.run(in: container.coordinator), entity, console)
    }

    private func write(
        _ outcome: ImportRun.Outcome, _ entity: EntityDescription, _ console: Console
    ) throws {
        if isJSON {
            return try console.print(
                JSONText.object { json in
                    json.member("rows", outcome.rows)
                    json.member("inserted", outcome.inserted)
                    json.member("updated", outcome.updated)
                    json.member("missingLinks", outcome.missing)
                    json.member("saves", outcome.saves)
                })
        }
        var text = "\(entity.name): \(outcome.inserted) inserted"
        if outcome.updated > 0 { text += ", \(outcome.updated) updated" }
        if outcome.missing > 0 { text += ", \(outcome.missing) links left empty" }
        try console.print(text + ", in \(outcome.saves) save\(outcome.saves == 1 ? "" : "s").")
    }
}
