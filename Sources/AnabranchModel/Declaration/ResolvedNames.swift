import AnabranchReplication

extension EntityDeclaration {
    /// The name on the wire, given or by default.
    var resolvedWireName: String { wireName ?? renamingIdentifier ?? name }
}

extension AttributeDeclaration {
    /// The name on the wire, given or by default.
    var resolvedWireName: String { wireName ?? renamingIdentifier ?? name }
}

extension CompositeAttribute {
    /// The name on the wire, given or by default.
    var resolvedWireName: String { wireName ?? renamingIdentifier ?? name }
}

extension RelationshipDeclaration {
    /// The name on the wire, given or by default.
    var resolvedWireName: String { wireName ?? renamingIdentifier ?? name }
}

extension String {
    /// Compares names by their bytes; `==` would use canonical equivalence.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Orders names by their bytes, which is the canonical order of named parts in a model.
    func precedesByBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
