import AnabranchReplication
import Foundation

/// One JSON object on one line, with its keys in the order in which they were added.
struct JSONLine {
    private var bytes = Array("{".utf8)

    mutating func append(_ key: String, _ value: String?) {
        guard let value else { return }
        begin(key)
        JSONString.append(value, to: &bytes)
    }

    mutating func append(_ key: String, _ value: Int64?) {
        if let value { add(key, "\(value)") }
    }

    mutating func append(_ key: String, _ value: Bool) { add(key, value ? "true" : "false") }

    /// Adds a number with three decimal places.
    mutating func append(_ key: String, _ value: Double) {
        add(key, "\((value * 1000).rounded() / 1000)")
    }

    mutating func append(_ key: String, _ objects: [JSONLine]) {
        let texts = objects.map { String(decoding: $0.bytes, as: UTF8.self) + "}" }
        add(key, "[" + texts.joined(separator: ",") + "]")
    }

    private mutating func add(_ key: String, _ json: String) {
        begin(key)
        bytes += json.utf8
    }

    private mutating func begin(_ key: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        JSONString.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    /// The line. A line separator of Unicode in a text is escaped, so that it ends no line.
    func finish() -> String {
        let text = String(decoding: bytes, as: UTF8.self) + "}\n"
        // In UTF-8 both begin with this byte. Few lines have it, and a search takes long.
        guard bytes.contains(0xE2) else { return text }
        return text.replacing("\u{2028}", with: "\\u2028")
            .replacing("\u{2029}", with: "\\u2029")
    }
}
