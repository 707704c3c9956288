import Anabranch

/// Shows how the store answers a fetch.
struct ExplainCommand: Command {
    static let specification = CommandSpecification(
        name: "explain", summary: "Shows the SQL, the plan and the cost of a fetch.",
        discussion: [
            "It runs the fetch without showing its records. If the whole of a large table is read, "
                + "and an index would lead to the rows, it shows the line that declares the index."
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
            let entity = try EntityNames.entity(
                entity, in: context.model, command: query.command)
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
        lines.append(
            "\(Quantity.text(explanation.rowCount, "row")) found, "
                + "\(Quantity.text(explanation.scannedRowCount, "row")) scanned, "
                + "\(Quantity.text(explanation.sortCount, "sort")), "
                + "\(milliseconds(explanation)) ms")
        if let advice = explanation.advice { lines.append(console.bold("\(advice)")) }
        return lines.joined(separator: "\n")
    }

    private func json(_ explanation: FetchExplanation) -> String {
        JSONText.object { json in
            json.member("sql", explanation.sql)
            json.key("bindings")
            json.array { json in
                for value in explanation.bindings { json.raw(ValueText.json(value)) }
            }
            json.key("plan")
            json.array { json in for line in explanation.plan { json.string(line) } }
            json.member("rows", explanation.rowCount)
            json.member("scannedRows", explanation.scannedRowCount)
            json.member("sorts", explanation.sortCount)
            json.key("milliseconds")
            json.raw("\(milliseconds(explanation))")
            if let advice = explanation.advice {
                json.key("advice")
                json.object { json in
                    json.member("entity", advice.entity)
                    json.member("declaration", advice.declaration)
                }
            }
        }
    }

    private func milliseconds(_ explanation: FetchExplanation) -> Double {
        (explanation.duration / .microseconds(100)).rounded() / 10
    }
}
