/// The difference of two texts by lines, as `diff` shows it.
package struct LineDifference: CustomStringConvertible {
    private enum Line {
        case same(Substring)
        case removed(Substring)
        case added(Substring)
    }

    /// The number of unchanged lines before and after each change.
    private static let contextCount = 3
    private let lines: [Line]

    package init(from old: String, to new: String) {
        let before = old.split(separator: "\n", omittingEmptySubsequences: false)
        let after = new.split(separator: "\n", omittingEmptySubsequences: false)
        var (removed, added) = (Set<Int>(), Set<Int>())
        // The comparison is by bytes: canonically equivalent text is a difference too.
        let changes = after.difference(from: before) { $0.utf8.elementsEqual($1.utf8) }
        for change in changes {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var (lines, old, new) = ([Line](), 0, 0)
        while old < before.count || new < after.count {
            if old < before.count, removed.contains(old) {
                lines.append(.removed(before[old]))
                old += 1
            } else if new < after.count, added.contains(new) {
                lines.append(.added(after[new]))
                new += 1
            } else {
                lines.append(.same(before[old]))
                old += 1
                new += 1
            }
        }
        self.lines = lines
    }

    package var description: String {
        var (shown, hiddenCount) = ([String](), 0)
        func closeGap() {
            if hiddenCount > 0 { shown.append("  … \(hiddenCount) equal lines") }
            hiddenCount = 0
        }
        for (index, line) in lines.enumerated() {
            switch line {
            case .removed(let text):
                closeGap()
                shown.append("- \(text)")
            case .added(let text):
                closeGap()
                shown.append("+ \(text)")
            case .same(let text) where isNearChange(index):
                closeGap()
                shown.append("  \(text)")
            case .same:
                hiddenCount += 1
            }
        }
        closeGap()
        return shown.joined(separator: "\n")
    }

    private func isNearChange(_ index: Int) -> Bool {
        let first = max(0, index - Self.contextCount)
        let last = min(lines.count - 1, index + Self.contextCount)
        return lines[first...last].contains { line in
            if case .same = line { false } else { true }
        }
    }
}
