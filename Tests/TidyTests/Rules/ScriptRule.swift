/// A rule: scripts stop at the first error, document their use, and are executable.
///
/// A file that ends in `.bash` or `.awk` is read by other scripts and is not run by itself.
struct ScriptRule: FileRule {
    func violations(in file: SourceFile) -> [Violation] {
        let isScript = file.path.hasPrefix("Scripts/") && !file.path.hasSuffix(".md")
        let isRead = file.path.hasSuffix(".bash") || file.path.hasSuffix(".awk")
        guard isScript && !isRead || file.path.hasPrefix(".ci/") else { return [] }
        var missing: [String] = []
        if !file.isExecutable { missing.append("isn't executable: chmod +x") }
        if file.text.hasPrefix("#!"), file.lines[0].hasSuffix("bash") {
            if !file.text.contains("\nset -euo pipefail\n") {
                missing.append("goes on after an error: begin with set -euo pipefail")
            }
        } else if !file.text.hasPrefix("#!") {
            missing.append("names no interpreter: begin with #!/usr/bin/env bash")
        }
        if isScript, !file.text.contains("--help") {
            missing.append("doesn't say how it is used: answer --help")
        }
        return missing.map {
            Violation(path: file.path, line: 1, message: "The script \($0).")
        }
    }
}
