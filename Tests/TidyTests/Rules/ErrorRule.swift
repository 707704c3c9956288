/// A rule: the message of a public error is its `localizedDescription` too.
///
/// Most apps show that. Without `LocalizedError` it is "The operation could not be completed".
struct ErrorRule: FileRule {
    func violations(in file: SourceFile) -> [Violation] {
        guard file.isSwift, file.isIn(["Sources"]) else { return [] }
        let declared = #/public (?:struct|enum) (\w+):[^{]*\bError\b/#
        return file.lines.enumerated().compactMap { index, line in
            guard let name = line.firstMatch(of: declared)?.1 else { return nil }
            let isDescribed = file.lines.contains {
                $0.contains("\(name):")
                    && ($0.contains("DescribedError") || $0.contains("LocalizedError"))
            }
            guard !isDescribed else { return nil }
            return Violation(
                path: file.path, line: index + 1,
                message: "\(name) has no localizedDescription. Let it conform to DescribedError.")
        }
    }
}
