/// Rows below a heading, in columns as wide as their content.
///
/// The last column is not padded. Control characters could control the terminal, so they are
/// replaced by visible symbols.
struct TextTable {
    enum Alignment { case left, right }

    struct Column {
        let title: String
        let alignment: Alignment

        init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row.
    ///
    /// - Parameter row: One text for each column; missing ones are empty.
    mutating func append(_ row: [String]) {
        let padding = repeatElement("", count: max(0, columns.count - row.count))
        rows.append((row.prefix(columns.count) + padding).map(TerminalText.printable))
    }

    /// Lays out the table.
    ///
    /// - Parameters:
    ///   - width: The width to which lines are cut; `nil` does not cut them.
    ///   - heading: Formats the heading line.
    func text(width: Int? = nil, heading: (String) -> String = { $0 }) -> String {
        let widths = columnWidths(within: width)
        let titles = line(columns.map(\.title), widths)
        let lines = rows.map { line($0, widths) }
        return ([heading(titles)] + lines).map { $0 + "\n" }.joined()
    }

    private static let gap = 2

    private func columnWidths(within limit: Int?) -> [Int] {
        var widths = columns.map { CharacterWidth.width(of: $0.title) }
        for row in rows {
            for (index, cell) in row.enumerated() {
                widths[index] = max(widths[index], CharacterWidth.width(of: cell))
            }
        }
        guard let limit else { return widths }
        // The widest columns shrink first, down to a readable width.
        var excess = widths.reduce(0, +) + Self.gap * (columns.count - 1) - limit
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > 8
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let text = CharacterWidth.clipped(cell, to: widths[index])
            let padding = String(
                repeating: " ", count: widths[index] - CharacterWidth.width(of: text))
            let isLast = index == cells.count - 1
            switch columns[index].alignment {
            case .right: line += padding + text
            case .left: line += isLast ? text : text + padding
            }
            if !isLast { line += String(repeating: " ", count: Self.gap) }
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
