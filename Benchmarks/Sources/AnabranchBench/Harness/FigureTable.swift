import Foundation

/// Prints figures in columns for a terminal.
struct FigureTable {
    let figures: [Figure]

    private static let head = ["", "raw C API", "Anabranch", "share", "goal", ""]

    var text: String {
        let rows = [Self.head] + figures.map(Self.cells)
        let widths = Self.head.indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        var lines = rows.map { row in
            row.enumerated().map { column, cell in
                let fill = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 || column == Self.head.count - 1 ? cell + fill : fill + cell
            }.joined(separator: "  ").trimmingSuffix()
        }
        // A reason may be long, so it has no column.
        for (row, figure) in figures.enumerated() {
            guard let failure = figure.failure else { continue }
            lines[row + 1] +=
                "  FAILED: " + failure.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
        lines.insert(String(repeating: "-", count: widths.reduce(0, +) + 2 * 5), at: 1)
        for figure in figures where figure.isReached == false {
            guard let cause = figure.cause else { continue }
            lines.append("")
            lines.append("\(figure.title): \(cause)")
        }
        return lines.joined(separator: "\n")
    }

    private static func cells(_ figure: Figure) -> [String] {
        let goal = figure.goal
        let verdict = figure.isReached.map { $0 ? "reached" : "MISSED" } ?? ""
        switch figure.measure {
        case .share(let raw, let ours):
            return [
                figure.title, perSecond(raw), perSecond(ours), decimal(ours / raw),
                goal.map { "≥ \(decimal($0))" } ?? "", verdict,
            ]
        case .rate(let rate):
            return [
                figure.title, "", perSecond(rate), "",
                goal.map { "≥ \(perSecond($0))" } ?? "", verdict,
            ]
        case .amount(let amount, let unit):
            return [
                figure.title, "", "\(amountText(amount)) \(unit)", "",
                goal.map { "≤ \(amountText($0)) \(unit)" } ?? "", verdict,
            ]
        case .failure: return [figure.title, "", "", "", "", ""]
        }
    }

    private static func perSecond(_ rate: Double) -> String {
        rate >= 1e6
            ? String(format: "%.2f M/s", rate / 1e6) : String(format: "%.0f k/s", rate / 1e3)
    }

    private static func decimal(_ share: Double) -> String { String(format: "%.2f", share) }

    private static func amountText(_ amount: Double) -> String {
        amount == amount.rounded() ? String(Int(amount)) : String(format: "%.1f", amount)
    }
}

extension String {
    fileprivate func trimmingSuffix() -> String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
