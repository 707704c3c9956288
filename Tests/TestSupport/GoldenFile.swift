import Foundation

/// One file below the `Golden` folder of a test module.
package struct GoldenFile {
    package let path: String

    /// - Parameter caller: A file below `Tests/<Module>`.
    package init(name: String, caller: String) throws(GoldenError) {
        var folder = URL(filePath: caller).deletingLastPathComponent()
        while folder.deletingLastPathComponent().lastPathComponent != "Tests" {
            guard folder.path.count > 1 else { throw .outsideTests(caller: caller) }
            folder.deleteLastPathComponent()
        }
        path = folder.appending(path: "Golden").appending(path: name).path
    }

    /// - Returns: nil when there is no file.
    package func text() throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try String(contentsOf: URL(filePath: path), encoding: .utf8)
    }

    /// Writes the text only where it differs, so that an update touches nothing in vain.
    package func write(_ text: String) throws {
        if let old = try self.text(), old.utf8.elementsEqual(text.utf8) { return }
        let place = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place, options: .atomic)
    }

    /// What to tell a person, or nil when the file holds exactly these bytes.
    package func refusal(of text: String) throws -> String? {
        guard let expected = try self.text() else { return "\(GoldenError.missing(path: path))" }
        guard !expected.utf8.elementsEqual(text.utf8) else { return nil }
        return """
            \(path) differs (- expected, + got). If the change is meant, run with \
            UPDATE_GOLDEN=1 and look at what git shows.
            \(LineDifference(from: expected, to: text))
            """
    }
}
