/// Reads JSON as in RFC 8259, one value at a time.
///
/// Only the returned value is kept in memory. Its size and depth are limited; no input can trap.
struct JSONParser {
    let source: ByteSource
    let valueLimit: Int
    /// The greatest number of bytes of one value with its content: the largest record, of 880 MiB,
    /// as base64, or as a text in which a backslash stands before every character.
    static let largestValue = 2 << 30
    static let greatestDepth = 128
    /// The greatest number of characters of a number.
    static let longestNumber = 4096

    init(_ source: ByteSource, valueLimit: Int = JSONParser.largestValue) {
        self.source = source
        self.valueLimit = valueLimit
    }

    /// The next byte that is not white space, which is not consumed.
    func peekToken() throws -> UInt8? {
        while let byte = try source.peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
            _ = try source.next()
        }
        return try source.peek()
    }

    /// Reads a byte that must come next.
    func expect(_ byte: Character, _ message: String) throws {
        guard let ascii = byte.asciiValue, try peekToken() == ascii else {
            throw try unexpected(message)
        }
        _ = try source.next()
    }

    func value() throws -> JSONValue {
        try value(depth: 0, limit: source.consumed + valueLimit)
    }

    private func value(depth: Int, limit: Int) throws -> JSONValue {
        guard depth < Self.greatestDepth else {
            throw error("The value is nested deeper than \(Self.greatestDepth) levels.")
        }
        guard let byte = try peekToken() else { throw error("The input ends before a value.") }
        switch byte {
        case UInt8(ascii: "{"): return .object(try members(depth: depth, limit: limit))
        case UInt8(ascii: "["): return .array(try elements(depth: depth, limit: limit))
        case UInt8(ascii: "\""): return .string(try string(limit: limit))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number(limit: limit))
        default: return try word()
        }
    }

    private func elements(depth: Int, limit: Int) throws -> [JSONValue] {
        _ = try source.next()
        var elements: [JSONValue] = []
        if try peekToken() == UInt8(ascii: "]") {
            _ = try source.next()
            return []
        }
        while true {
            elements.append(try value(depth: depth + 1, limit: limit))
            try check(limit)
            if try separator(closing: "]") { return elements }
        }
    }

    private func members(depth: Int, limit: Int) throws -> [JSONMember] {
        _ = try source.next()
        var members: [JSONMember] = []
        if try peekToken() == UInt8(ascii: "}") {
            _ = try source.next()
            return []
        }
        while true {
            let name = try memberName(limit: limit)
            _ = try peekToken()
            let place = source.place
            members.append(
                JSONMember(
                    name: name, value: try value(depth: depth + 1, limit: limit), place: place))
            try check(limit)
            if try separator(closing: "}") { return members }
        }
    }

    /// Reads a member's name and the colon.
    func memberName(limit: Int? = nil) throws -> String {
        guard try peekToken() == UInt8(ascii: "\"") else {
            throw try unexpected("the name of a member in quotes")
        }
        let name = try string(limit: limit ?? source.consumed + valueLimit)
        try expect(":", "a colon")
        return name
    }

    /// Reads a comma or the closing character; returns true for the closing character.
    func separator(closing: Character) throws -> Bool {
        let byte = try peekToken()
        if let byte, byte == closing.asciiValue {
            _ = try source.next()
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw try unexpected("a comma or \(closing)") }
        _ = try source.next()
        return false
    }

    private func word() throws -> JSONValue {
        let place = source.place
        var bytes: [UInt8] = []
        while let byte = try source.peek(), (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte),
            bytes.count < 8
        {
            bytes.append(byte)
            _ = try source.next()
        }
        switch String(decoding: bytes, as: UTF8.self) {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "": throw try unexpected("a value")
        case let text: throw error("'\(text)' is not a JSON value.", at: place)
        }
    }

    private func check(_ limit: Int) throws {
        guard source.consumed <= limit else {
            throw error("One value takes more than \(Quantity.bytes(valueLimit)).")
        }
    }

    func unexpected(_ wanted: String) throws -> InputError {
        guard let byte = try source.peek() else {
            return error("The input ends where \(wanted) should be.")
        }
        let isPrintable = (0x21...0x7E).contains(byte)
        let found = isPrintable ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
        return error("There is \(found) where \(wanted) should be.")
    }

    func error(_ message: String, at place: InputPlace? = nil) -> InputError {
        InputError(file: source.name, place: place ?? source.place, message: message)
    }
}
