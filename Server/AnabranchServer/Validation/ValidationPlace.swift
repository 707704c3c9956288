import Foundation

/// The place of the operator's hook.
///
/// It is closed: only a new major version adds a case.
public enum ValidationPlace: Hashable, Sendable {
    /// A URL to which each request is sent by POST.
    case http(String)
    /// The path of a program that reads one line for each request and writes one line for each
    /// answer.
    case command(String)

    /// Parses a place.
    ///
    /// - Parameter text: A URL with `http` or `https`, or `command:` and the absolute path of a
    ///   program that can be executed.
    ///
    /// - Throws: ``ValidationPlaceError`` with a message for the author of the text.
    public init(_ text: String) throws(ValidationPlaceError) {
        if text.hasPrefix("command:") {
            let path = String(text.dropFirst("command:".count))
            guard path.hasPrefix("/") else {
                throw ValidationPlaceError(
                    "Can't use \"\(path)\" as a validation command because it is no absolute path.")
            }
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
                !isDirectory.boolValue, FileManager.default.isExecutableFile(atPath: path)
            else {
                throw ValidationPlaceError(
                    "Can't use \(path) as a validation command because it is no file that can be "
                        + "executed.")
            }
            self = .command(path)
            return
        }
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty,
            ["http", "https"].contains(url.scheme?.lowercased())
        else {
            throw ValidationPlaceError(
                "Can't use \"\(Self.withoutPassword(text))\" for validation: type "
                    + "http://127.0.0.1:PORT/PATH, or command: and the path of a program.")
        }
        self = .http(text)
    }

    /// The text of a place without the password that a URL may have, to be shown.
    public static func withoutPassword(_ text: String) -> String {
        guard text.contains("@") else { return text }
        guard var url = URLComponents(string: text), url.host?.isEmpty == false,
            !url.path.contains("@")
        else { return "…" }
        if url.password != nil { url.password = "…" }
        return url.string ?? "…"
    }
}

/// The reason why a text names no place of a hook.
public struct ValidationPlaceError: Error, Hashable, CustomStringConvertible {
    /// The reason, for the author of the text.
    public let message: String

    init(_ message: String) { self.message = message }

    /// The reason.
    public var description: String { message }
}
