import AnabranchMacroExpansion

/// A rule: versioned dependants can use the root manifest, no package is a dependency, and the
/// examples use the public API alone.
struct ManifestRule: FileRule {
    func violations(in file: SourceFile) -> [Violation] {
        guard file.path == "Package.swift" else { return [] }
        return unsafeFlags(in: file) + dependencies(in: file) + packageAccess(in: file)
    }

    private func dependencies(in file: SourceFile) -> [Violation] {
        let code = file.tokens.filter { $0.kind != .comment }
        return code.indices.dropFirst().dropLast().compactMap { index in
            guard code[index].isWord("package"), code[index - 1].isMark("."),
                code[index + 1].isMark("(")
            else { return nil }
            return Violation(
                path: file.path, line: code[index].line,
                message: "No Swift package is a dependency (decision 33). Use a C library of the "
                    + "system.")
        }
    }

    private func unsafeFlags(in file: SourceFile) -> [Violation] {
        let code = file.tokens.filter { $0.kind != .comment }
        return code.indices.compactMap { index in
            // `isFastForTests ? [.unsafeFlags` has four tokens before it.
            guard code[index].isWord("unsafeFlags"),
                !code[..<index].suffix(4).contains(where: { $0.isWord("isFastForTests") })
            else { return nil }
            return Violation(
                path: file.path, line: code[index].line,
                message: "unsafeFlags locks out dependants that name a version. Find a setting "
                    + "without it, or put the target into Benchmarks.")
        }
    }

    /// Checks that no example has package access. The compiler enforces it only for targets without
    /// that access.
    private func packageAccess(in file: SourceFile) -> [Violation] {
        let code = file.tokens.filter { $0.kind != .comment }
        guard let start = code.firstIndex(where: { $0.isWord("executableTarget") }) else {
            return []
        }
        return code[start...].indices.compactMap { index in
            guard code[index].isWord("executableTarget"),
                let end = code.indexAfterGroup(at: index + 1)
            else { return nil }
            let target = code[index..<end]
            let first = target[index].offset
            let text = file.text.utf8.dropFirst(first).prefix(code[end - 1].end - first)
            let isExample = String(decoding: text, as: UTF8.self).contains("\"Examples/")
            guard isExample, !target.contains(where: { $0.isWord("packageAccess") }) else {
                return nil
            }
            return Violation(
                path: file.path, line: code[index].line,
                message: "An example can reach package API. Give the target packageAccess: false.")
        }
    }
}
