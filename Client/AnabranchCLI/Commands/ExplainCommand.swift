import Anabranch

/// Shows how the store answers a fetch.
struct ExplainCommand: Command {
    static let specification = CommandSpecification(
        name: "explain", summary: "Shows the SQL, the plan and the cost of a fetch.",
        discussion: [
            "It runs the fetch without showing its records. If the whole of a large table is read, "
                + "and an index would lead to the rows, it shows the line that declares the index, "
                + "for a model in Swift and for a class with @Entity.",
            "Scanned rows are those that SQLite read from the first to the last; it does not count "
                + "rows to which an index led, nor what it read in an index of words. Its steps "
                + "grow with all of them.",
        ],
        arguments: [.store, .entity],
        options: RecordQuery.options + RowQuery.options + [.json],
        examples: [
            .init(
                "explain geo.store City --where \"population > 1000000\"",
                "Shows how the large cities are found.")
        ])

    let path: String
    let entity: String
    let query: RecordQuery
    let rows: RowQuery?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = try arguments.word("ENTITY")
        query = try RecordQuery(arguments)
        rows = RowQuery(arguments, query)
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        try StoreFile.withContext(path, for: .reading) { context in
            let entity = try EntityNames.entity(entity, in: context.model, command: query.command)
            let explanation =
                try rows?.request(of: entity).explain(in: context)
                ?? query.request(of: entity).explain(in: context)
            try console.print(isJSON ? json(explanation) : text(explanation, console))
        }
    }

    private func text(_ explanation: FetchExplanation, _ console: Console) -> String {
        var lines = [explanation.sql]
        if !explanation.bindings.isEmpty {
            let values = explanation.bindings.map(ValueText.json).joined(separator: ", ")
            lines.append(console.dim("with \(values)"))
        }
        lines += explanation.plan.map { "  " + $0 }
        lines.append(costs(explanation).joined(separator: ", "))
        lines += advice(explanation).map(console.bold)
        return lines.joined(separator: "\n")
    }

    private func costs(_ explanation: FetchExplanation) -> [String] {
        let found = Quantity.text(explanation.rowCount, "row") + " found"
        let scanned = Quantity.text(explanation.scannedRowCount, "row") + " scanned"
        let isCounted = !explanation.searchesWords || explanation.scannedRowCount > 0
        return [
            explanation.searchesWords ? found + " by an index of words" : found,
            isCounted ? scanned : nil,
            Quantity.text(explanation.sortCount, "sort"),
            Quantity.text(explanation.stepCount, "step"), "\(milliseconds(explanation)) ms",
        ].compactMap(\.self)
    }

    private func advice(_ explanation: FetchExplanation) -> [String] {
        guard let first = explanation.advice.first else { return [] }
        let isOne = explanation.advice.count == 1
        let lines = explanation.advice.map { advice in
            let inClass = advice.macro.map { " (in a class: \($0))" } ?? ""
            return "  \(advice.entity): \(advice.declaration)\(inClass)"
        }
        let opening =
            isOne
            ? "A whole table is read. An index of \(first.entity) would lead to the rows:"
            : "A whole table is read. These indexes together would lead to the rows:"
        return [opening] + lines
    }

    private func json(_ explanation: FetchExplanation) -> String {
        JSONText.object { json in
            json.member("sql", explanation.sql)
            json.array("bindings") { json in
                for value in explanation.bindings { json.raw(ValueText.json(value)) }
            }
            json.member("plan", explanation.plan)
            json.member("rows", explanation.rowCount)
            json.member("scannedRows", explanation.scannedRowCount)
            json.member("searchesWords", explanation.searchesWords)
            json.member("sorts", explanation.sortCount)
            json.member("steps", explanation.stepCount)
            json.member("milliseconds", raw: "\(milliseconds(explanation))")
            json.array("advice") { json in
                for advice in explanation.advice {
                    json.object { json in
                        json.member("entity", advice.entity)
                        json.member("declaration", advice.declaration)
                        if let macro = advice.macro { json.member("macro", macro) }
                    }
                }
            }
        }
    }

    private func milliseconds(_ explanation: FetchExplanation) -> Double {
        (explanation.duration / .microseconds(100)).rounded() / 10
    }
}
