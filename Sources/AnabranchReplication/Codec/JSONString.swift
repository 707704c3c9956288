/// Strings of JSON in UTF-8.
///
/// Source: RFC 8259 §7.
package enum JSONString {
    /// The greatest number of bytes that a text takes as a string of JSON.
    package static func greatestByteCount(of text: String) -> Int {
        text.utf8.count + text.utf8.count(where: isEscaped) * 5 + 2
    }

    /// Appends a text as a string of JSON, with escapes for quotation marks, backslashes and
    /// control characters.
    package static func append(_ text: String, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): json += "\\n".utf8
            case UInt8(ascii: "\r"): json += "\\r".utf8
            case UInt8(ascii: "\t"): json += "\\t".utf8
            case _ where isEscaped(byte):
                json += (byte < 0x10 ? "\\u000" : "\\u00").utf8
                json += String(byte, radix: 16).utf8
            default: json.append(byte)
            }
        }
        json.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}
