/// Rows under a heading, in columns as wide as they need to be.
///
/// The last column is not padded. Control characters, which could drive a terminal, are shown as
/// pictures of themselves.
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
    init(_ titles: String...) { columns = titles.map { Column($0) } }

    /// - Parameter row: One text a column; missing ones are empty.
    mutating func append(_ row: [String]) {
        let padding = repeatElement("", count: max(0, columns.count - row.count))
        rows.append((row.prefix(columns.count) + padding).map(Self.printable))
    }

    /// - Parameters:
    ///   - width: What the lines are cut to; `nil` leaves them whole.
    ///   - heading: Dresses the heading line.
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
        // The widest give way first, down to what can still be read.
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

    /// Control characters as their pictures (U+2400 and after), so that a value can neither break
    /// the table nor steer the terminal.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20, let picture = Unicode.Scalar(0x2400 + scalar.value) {
                printable.append(picture)
            } else {
                printable.append(isControl(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return String(printable)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
}
