import AnabranchReplication

extension Entity {
    /// The name on the wire, given or by default.
    var resolvedWireName: String { wireName ?? renamingIdentifier ?? name }
}

extension Attribute {
    /// The name on the wire, given or by default.
    var resolvedWireName: String { wireName ?? renamingIdentifier ?? name }
}

extension Relationship {
    /// The name on the wire, given or by default.
    var resolvedWireName: String { wireName ?? renamingIdentifier ?? name }
}

extension String {
    /// Names are compared by their bytes; `==` is canonical equivalence.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// The canonical order of everything in a model that has a name.
    func precedesByBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
