import Anabranch

/// Prints rows of values as a table or as JSON, one object a line.
struct RowOutput {
    let isJSON: Bool

    /// - Parameter names: The titles of the columns, which are shown without a row too.
    func write(_ rows: [FetchedRow], titled names: [String], to console: Console) throws {
        guard !isJSON else {
            for row in rows { try console.print(try json(row)) }
            return
        }
        var table = TextTable(
            names.enumerated().map { index, name in
                TextTable.Column(name, isNumeric(index, rows) ? .right : .left)
            })
        for row in rows { table.append(try row.contents.map { try content($0).text }) }
        try console.print(table)
    }

    private func isNumeric(_ index: Int, _ rows: [FetchedRow]) -> Bool {
        rows.allSatisfy { row in
            switch row.contents[index] {
            case .value(.integer), .value(.double), .value(.decimal), .value(.null): true
            default: false
            }
        }
    }

    private func content(_ content: FetchedRow.Content) throws -> RecordColumn.Content {
        switch content {
        case .value(let value): .value(value)
        case .object(let id): .object(try RecordLabel(id))
        }
    }

    private func json(_ row: FetchedRow) throws -> String {
        let contents = try row.contents.map { try content($0) }
        return JSONText.object { json in
            for (name, content) in zip(row.names, contents) {
                json.key(name)
                content.write(to: &json)
            }
        }
    }
}
