import Foundation

/// A rule: relative links of documents point to existing files and headings.
struct LinkRule {
    /// Files and folders of the package, as paths below its root.
    let paths: Set<String>
    /// The anchors of every document, by its path.
    let anchors: [String: Set<String>]

    init(files: [SourceFile], paths: Set<String>) {
        self.paths = paths
        anchors = Dictionary(
            files.filter(\.isDocument).map { ($0.path, Self.anchors(of: $0)) },
            uniquingKeysWith: { first, _ in first })
    }

    func violations(in file: SourceFile) -> [Violation] {
        guard file.isDocument else { return [] }
        return Self.prose(of: file).flatMap { line, text in
            Self.targets(in: text).compactMap { target in
                refusal(of: target, in: file).map {
                    Violation(path: file.path, line: line, message: $0)
                }
            }
        }
    }

    private func refusal(of target: String, in file: SourceFile) -> String? {
        guard target.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:.*/) == nil else { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].isEmpty ? file.path : Self.resolve(parts[0], from: file.path)
        guard let place, place.isEmpty || paths.contains(place) else {
            return "Link \(target) leads to no file. Correct the path or remove the link."
        }
        guard parts.count == 2, let known = anchors[place], !known.contains(String(parts[1])) else {
            return nil
        }
        return "Link \(target) leads to no heading of \(place). Correct the part after #."
    }

    /// - Returns: `nil` if the path leaves the package or begins at the file system's root.
    private static func resolve(_ target: Substring, from path: String) -> String? {
        guard !target.hasPrefix("/") else { return nil }
        var folders = path.split(separator: "/").dropLast().map(String.init)
        let decoded = String(target).removingPercentEncoding ?? String(target)
        for component in decoded.split(separator: "/") where component != "." {
            if component != ".." {
                folders.append(String(component))
            } else if folders.popLast() == nil {
                return nil
            }
        }
        return folders.joined(separator: "/")
    }

    /// Returns the lines outside code blocks, without code in backticks.
    private static func prose(of file: SourceFile) -> [(line: Int, text: String)] {
        var (found, isCode) = ([(line: Int, text: String)](), false)
        for (index, line) in file.lines.enumerated() {
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isCode.toggle() }
            if !isCode, !isFence {
                found.append((index + 1, String(line).replacing(/`[^`]*`/, with: "`")))
            }
        }
        return found
    }

    private static func targets(in line: String) -> [String] {
        let inline = line.matches(of: /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/).map { String($0.1) }
        let reference = line.prefixMatch(of: /\s*\[[^\]]+\]:\s*(\S+)/).map { String($0.1) }
        return inline + (reference.map { [$0] } ?? [])
    }

    /// Returns the anchors that a forge computes for headings: lower case, dashes for spaces, no
    /// punctuation.
    private static func anchors(of file: SourceFile) -> Set<String> {
        var (found, isCode) = (Set<String>(), false)
        for line in file.lines {
            if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
            guard !isCode, let heading = line.prefixMatch(of: /#{1,6}\s+(.*)/) else { continue }
            let kept = heading.1.lowercased().filter {
                $0.isLetter || $0.isNumber || " -_".contains($0)
            }
            let anchor = kept.replacing(" ", with: "-")
            var (candidate, copy) = (anchor, 0)
            while !found.insert(candidate).inserted {
                copy += 1
                candidate = "\(anchor)-\(copy)"
            }
        }
        return found
    }
}
