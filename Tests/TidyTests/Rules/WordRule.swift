/// A rule: no file contains notes of unfinished work or paths of one machine.
///
/// The words are assembled from pieces here, so that this file passes its own rule.
struct WordRule: FileRule {
    static let markers = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
    static let machineFolders = ["root", "work", "home", "Users"].map { "/" + $0 + "/" }

    func violations(in file: SourceFile) -> [Violation] {
        let isSuspect = (Self.markers + Self.machineFolders).contains { file.text.contains($0) }
        guard isSuspect else { return [] }
        return file.lines.enumerated().flatMap { index, line in
            messages(for: line).map {
                Violation(path: file.path, line: index + 1, message: $0)
            }
        }
    }

    private func messages(for line: Substring) -> [String] {
        let markers = Self.markers.filter { Self.holds($0, as: Self.isWordEdge, line) }.map {
            "\($0) marks unfinished work. Finish it, or open an issue and describe the limit."
        }
        let folders = Self.machineFolders.filter { Self.holds($0, as: Self.isPathStart, line) }
            .map { "\($0)… is a path of one machine. Use a relative or a configurable path." }
        return markers + folders
    }

    private static func holds(
        _ wanted: String, as isMatch: (Character?, Character?) -> Bool, _ line: Substring
    ) -> Bool {
        line.ranges(of: wanted).contains { range in
            let before = line[..<range.lowerBound].last
            let after = line[range.upperBound...].first
            return isMatch(before, after)
        }
    }

    private static func isWordEdge(_ before: Character?, _ after: Character?) -> Bool {
        ![before, after].contains { $0.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }
    }

    /// Returns whether the slash begins a path, and is no part of a longer path or of an address.
    private static func isPathStart(_ before: Character?, _ after: Character?) -> Bool {
        !(before.map { $0.isLetter || $0.isNumber || "._-~*})".contains($0) } ?? false)
    }
}
