import Anabranch

/// Prints records as a table or as JSON, one object a line.
struct RecordOutput {
    let columns: [RecordColumn]
    let isJSON: Bool
    /// Returns what else is known of an object that is shown with all its properties.
    var note: (ManagedObject) throws -> RecordNote = { _ in RecordNote() }

    func write(_ objects: some Sequence<ManagedObject>, to console: Console) throws {
        guard !isJSON else {
            for object in objects { try console.print(try json(object)) }
            return
        }
        let titles = columns.map {
            TextTable.Column($0.name, $0.isNumeric ? .right : .left)
        }
        var table = TextTable([TextTable.Column("ID")] + titles)
        for object in objects {
            table.append(
                [try RecordLabel(object.objectID).short]
                    + (try columns.map { try $0.content(of: object).text }))
        }
        try console.print(table)
    }

    /// Prints one record below the other, with one property a line.
    func writeList(_ objects: some Sequence<ManagedObject>, to console: Console) throws {
        guard !isJSON else { return try write(objects, to: console) }
        for (index, object) in objects.enumerated() {
            if index > 0 { try console.print() }
            try console.print(
                console.bold("\(object.entity.name) \(try RecordLabel(object.objectID).short)"))
            let note = try note(object)
            for line in note.lines { try console.print("  " + TerminalText.printable(line)) }
            try write(columns.map { ($0.name, try $0.content(of: object).text) }, "  ", to: console)
            guard !note.hidden.isEmpty else { continue }
            try console.print("  Held and not shown:")
            try write(note.hidden.map { ($0.key, HiddenWriteText($0).line) }, "    ", to: console)
        }
    }

    private func write(
        _ lines: [(name: String, text: String)], _ margin: String, to console: Console
    ) throws {
        let width = lines.map { CharacterWidth.width(of: $0.name) }.max() ?? 0
        for (name, text) in lines {
            let padding = String(repeating: " ", count: width - CharacterWidth.width(of: name) + 2)
            try console.print(margin + name + padding + TerminalText.printable(text))
        }
    }

    func json(_ object: ManagedObject) throws -> String {
        let uri = try RecordLabel(object.objectID).uri
        let contents = NestedColumns(try columns.map { ($0, try $0.content(of: object)) })
        let note = try note(object)
        return JSONText.object { json in
            json.member("@id", uri)
            json.member("@entity", object.entity.name)
            contents.write(to: &json)
            note.write(to: &json)
        }
    }
}
