import AnabranchReplication

/// What a name may look like.
enum NameRules {
    /// Names of entities and properties are tables, columns, parts of key paths and of URIs:
    /// letters, digits and underscores, and beyond ASCII any character; no digit in front.
    ///
    /// - Returns: Why the name cannot be used, as the end of a sentence; `nil`: it can.
    static func objection(toName name: String, isEntity: Bool) -> String? {
        if let objection = objection(toWireName: name) { return objection }
        if let first = name.utf8.first, isDigit(first) { return "it begins with a digit" }
        guard name.utf8.allSatisfy({ $0 >= 0x80 || isDigit($0) || isLetter($0) }) else {
            return "it has a character other than letters, digits and underscores"
        }
        // Names of SQLite and of the store's own tables and columns, which ignore case.
        let reserved = isEntity ? ["ab_", "sqlite_"] : ["ab_"]
        let lower = name.lowercased()
        return reserved.first { lower.hasPrefix($0) }.map {
            "names that begin with \($0) are reserved"
        }
    }

    /// - Returns: Why the name cannot travel, as the end of a sentence; `nil`: it can.
    static func objection(toWireName name: String) -> String? {
        if name.utf8.isEmpty { return "it is empty" }
        if name.utf8.count > Limits.longestName {
            return "it is longer than \(Limits.longestName) bytes"
        }
        return name.utf8.contains(0) ? "it has a NUL character" : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || byte == UInt8(ascii: "_")
    }
}
