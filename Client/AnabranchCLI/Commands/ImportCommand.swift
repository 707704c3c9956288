import Anabranch

/// Imports the rows of a file into a store.
struct ImportCommand: Command {
    static let specification = CommandSpecification(
        name: "import", summary: "Imports the rows of a CSV or JSON file.",
        discussion: [
            "Each row becomes a record of ENTITY. A column sets the attribute with its name; "
                + "upper and lower case, '_', '-' and spaces are ignored, so official_name sets "
                + "officialName. In CSV an empty field is a missing value, and \"\" is the empty "
                + "text. Times are ISO 8601, data is base64, and decimals are exact.",
            "A number is no time until --dates says what it counts. A time without an offset is "
                + "in the zone of --time-zone; without that option it is UTC, and the report says "
                + "so. A pattern of dates has yyyy, yy (2000 to 2099), MM, M, MMM or MMMM (English "
                + "months), dd, d, HH, H, hh or h with a (AM or PM), mm, m, ss, s, S (a fraction) "
                + "and X (an offset); other letters stand between single quotes.",
            "JSON input is an array of objects, a sequence of objects, or (with --member) an "
                + "array in a member of one object. CSV input follows RFC 4180 in UTF-8; its "
                + "first line names the columns.",
            "A file is read twice, so that all rows are checked before the first one is written. "
                + "Standard input is checked batch by batch. Each batch is one save.",
        ],
        arguments: [
            .store, .entity,
            ArgumentSpecification("FILE", "The input file; - for standard input."),
        ],
        options: [
            OptionSpecification(
                "format", "csv|json",
                "The input format; by default the file name "
                    + "decides."),
            OptionSpecification(
                "member", "NAME",
                "The name of the member whose array contains "
                    + "the records."),
            OptionSpecification(
                "key", "ATTRIBUTE",
                "A row updates the record with the same key. Without --key every row inserts a "
                    + "record."),
            OptionSpecification(
                "map", "COLUMN=PROPERTY", "Sets a property from a column with another name.",
                isRepeated: true),
            OptionSpecification(
                "link", "RELATIONSHIP=COLUMN:ENTITY.KEY",
                "Sets RELATIONSHIP to the record of ENTITY whose KEY equals the column. COLUMN[2] "
                    + "uses only the first two characters; {code[2]}-{parent} combines columns. "
                    + "For a to-many relationship the column holds several keys; links are added "
                    + "and never removed.",
                isRepeated: true),
            OptionSpecification(
                "allow-missing", "RELATIONSHIP",
                "Leaves the relationship empty if no record has the key.", isRepeated: true),
            .flag("skip-unknown", "Ignores columns that ENTITY has no attribute for."),
            OptionSpecification(
                "separator", "CHARACTER",
                "The separator of several keys in one "
                    + "field; ';' by default."),
            OptionSpecification(
                "delimiter", "CHARACTER",
                "The separator of CSV fields, a character or 'tab'; ',' "
                    + "by default."),
            .flag(
                "pad-rows",
                "Rows of CSV may end early. The columns after their end have no value."),
        ] + InputForms.options + [
            OptionSpecification(
                "batch", "N",
                "The number of rows in one save; by default 50000, or fewer if they are large."),
            .author, .json,
        ],
        examples: [
            .init(
                "import geo.store Country countries.csv --key code", "Adds or updates countries."),
            .init(
                "import geo.store City cities.json --link country=country_code:Country.code",
                "Adds cities and links each with its country."),
            .init(
                "import bank.store Entry may.csv --delimiter ';' --decimal , --dates dd.MM.yyyy "
                    + "--time-zone Europe/Berlin",
                "Imports a table with decimal commas and local dates."),
        ])

    let path: String
    let entity: String
    let file: String
    let isJSON: Bool
    let batch: Int?
    let form: InputFormat
    let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = try arguments.word("ENTITY")
        file = try arguments.word("FILE")
        isJSON = arguments.isSet("json")
        batch = try arguments.number("batch", in: 1...1_000_000)
        form = try InputFormat(path: file, arguments: arguments)
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
                    json.member("timesWithoutZone", outcome.assumedZones)
                })
        }
        var text = "\(entity.name): \(outcome.inserted) inserted"
        if outcome.updated > 0 { text += ", \(outcome.updated) updated" }
        if outcome.missing > 0 { text += ", \(outcome.missing) links left empty" }
        try console.print(text + ", in \(outcome.saves) save\(outcome.saves == 1 ? "" : "s").")
        guard outcome.assumedZones > 0 else { return }
        try console.print(
            "Read \(Quantity.text(outcome.assumedZones, "time")) without an offset as UTC. Type "
                + "--time-zone ZONE for another zone.")
    }
}
