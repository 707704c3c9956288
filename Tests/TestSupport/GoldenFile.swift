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

    /// - Returns: The text; `nil` if there is no file.
    package func text() throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try String(contentsOf: URL(filePath: path), encoding: .utf8)
    }

    /// Writes the text if it differs, so that an update does not touch equal files.
    package func write(_ text: String) throws {
        if let old = try self.text(), old.utf8.elementsEqual(text.utf8) { return }
        let place = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place, options: .atomic)
    }

    /// Returns the message for a text that differs, or `nil` if the file has exactly these bytes.
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
