/// Bytes as lines of an offset, sixteen bytes and their ASCII characters.
///
///     00000000  41 42 01 00                                       |AB..|
package enum HexDump {
    private static let width = 16
    private static let digits = Array("0123456789abcdef")

    package static func text(of bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: width).map { start in
            let row = bytes[start..<min(start + width, bytes.count)]
            let hex = row.map(pair).joined(separator: " ")
            let gap = String(repeating: " ", count: width * 3 - hex.count + 1)
            let characters = row.map { (32..<127).contains($0) ? Character(.init($0)) : "." }
            return "\(offset(start))  \(hex)\(gap)|\(String(characters))|\n"
        }.joined()
    }

    /// - Returns: `nil` if a line differs from what `text(of:)` writes.
    package static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for line in text.split(separator: "\n") {
            guard line.hasPrefix("\(offset(bytes.count))  ") else { return nil }
            let rest = line.dropFirst(10).prefix { $0 != "|" }
            for pair in rest.split(separator: " ") {
                guard pair.count == 2, let byte = UInt8(pair, radix: 16) else { return nil }
                bytes.append(byte)
            }
        }
        return self.text(of: bytes) == text ? bytes : nil
    }

    private static func pair(_ byte: UInt8) -> String {
        String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    private static func offset(_ number: Int) -> String {
        let hex = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 8 - hex.count)) + hex
    }
}
