import AnabranchReplication

/// The rules for names and wire names.
enum NameRules {
    /// Explains why the name of an entity or a property cannot be used.
    ///
    /// Names become tables, columns, and parts of key paths and URIs. They consist of ASCII
    /// letters, digits, underscores and any characters beyond ASCII, and do not begin with a digit.
    ///
    /// - Returns: The reason as the end of a sentence; `nil` if the name can be used.
    static func objection(toName name: String, isEntity: Bool) -> String? {
        if let objection = objection(toWireName: name) { return objection }
        if let first = name.utf8.first, isDigit(first) { return "it begins with a digit" }
        guard name.utf8.allSatisfy({ $0 >= 0x80 || isDigit($0) || isLetter($0) }) else {
            return "it has a character other than letters, digits and underscores"
        }
        // These prefixes belong to SQLite and to the store's own tables; both ignore case.
        let reserved = isEntity ? ["ab_", "sqlite_"] : ["ab_"]
        let lower = name.lowercased()
        return reserved.first { lower.hasPrefix($0) }.map {
            "names that begin with \($0) are reserved"
        }
    }

    /// Explains why a wire name cannot be used.
    ///
    /// - Returns: The reason as the end of a sentence; `nil` if the name can be used.
    static func objection(toWireName name: String) -> String? {
        if name.utf8.isEmpty { return "it is empty" }
        if name.utf8.count > Limits.longestName {
            return "it is longer than \(Limits.longestName) bytes"
        }
        return name.utf8.contains(0) ? "it has a NUL character" : nil
    }

    /// Explains why the wire name of an entity cannot be used.
    ///
    /// - Returns: The reason as the end of a sentence; `nil` if the name can be used.
    static func objection(toWireNameOfEntity name: String) -> String? {
        if let objection = objection(toWireName: name) { return objection }
        // Every store has records of such entities, which no model has: a zone's settings.
        guard name.hasPrefix("ab_") else { return nil }
        return "wire names of entities that begin with ab_ are reserved"
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || byte == UInt8(ascii: "_")
    }
}
