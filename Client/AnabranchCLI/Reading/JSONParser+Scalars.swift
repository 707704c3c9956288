extension JSONParser {
    func number(limit: Int) throws -> String {
        let place = source.place
        var bytes: [UInt8] = []
        func take(_ wanted: (UInt8) -> Bool) throws -> Bool {
            guard let byte = try source.peek(), wanted(byte) else { return false }
            guard bytes.count < Self.longestNumber else {
                throw error("The number has more than \(Self.longestNumber) characters.", at: place)
            }
            bytes.append(byte)
            _ = try source.next()
            return true
        }
        func digits() throws {
            guard try take(Self.isDigit) else { throw error("A digit is missing in a number.") }
            while try take(Self.isDigit) {}
        }
        _ = try take { $0 == UInt8(ascii: "-") }
        if try take({ $0 == UInt8(ascii: "0") }) {
            if let byte = try source.peek(), Self.isDigit(byte) {
                throw error("A number begins with a zero too many.", at: place)
            }
        } else {
            try digits()
        }
        if try take({ $0 == UInt8(ascii: ".") }) { try digits() }
        if try take({ $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }) {
            _ = try take { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            try digits()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Reads a string.
    ///
    /// - Parameter limit: The greatest number of input bytes read when the string ends.
    func string(limit: Int) throws -> String {
        let place = source.place
        _ = try source.next()
        var bytes: [UInt8] = []
        while let byte = try source.peek() {
            guard byte >= 0x20 else {
                throw error(
                    "A text holds a control character; write it as \\u00\(byte < 16 ? "0" : "")"
                        + "\(String(byte, radix: 16)).")
            }
            _ = try source.next()
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw error("The text isn't UTF-8.", at: place)
                }
                return text
            case UInt8(ascii: "\\"): try escape(into: &bytes)
            default: bytes.append(byte)
            }
            guard source.consumed <= limit else {
                throw error(
                    "The value with the text that begins here takes more than "
                        + "\(Quantity.bytes(valueLimit)).", at: place)
            }
        }
        throw error("The text that begins here is never closed.", at: place)
    }

    private func escape(into bytes: inout [UInt8]) throws {
        let place = source.place
        switch try source.next() {
        case UInt8(ascii: "\""): bytes.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): bytes.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            bytes.append(contentsOf: Array(Character(try escapedScalar(place)).utf8))
        default: throw error("A backslash begins no escape that JSON has.", at: place)
        }
    }

    /// Reads one scalar from `\uXXXX`, or from two of them that form a surrogate pair.
    private func escapedScalar(_ place: InputPlace) throws -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
        guard first < 0xDC00, try source.next() == UInt8(ascii: "\\"),
            try source.next() == UInt8(ascii: "u")
        else { throw error("Half of a surrogate pair stands alone.", at: place) }
        let second = try codeUnit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw error("Half of a surrogate pair stands alone.", at: place) }
        return scalar
    }

    private func codeUnit() throws -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = try source.next(),
                let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80
            else { throw error("\\u needs four hexadecimal digits.") }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
