import AnabranchReplication

extension ModelChecker {
    /// Checks that SQLite can keep an index of the words of an attribute.
    mutating func checkSearch(
        of attribute: AttributeDeclaration, entity: EntityDeclaration, path: String
    ) {
        guard let search = attribute.search else { return }
        let lengths = 1...TextSearch.greatestPrefixLength
        let obstacle: String? =
            if attribute.type != .string {
                "its type is \(attribute.type); only texts have words"
            } else if !attribute.isStored {
                "it is \(attribute.isTransient ? "transient" : "derived"), so no store has its text"
            } else if ["rank", "rowid"].contains(attribute.name.lowercased()) {
                "SQLite reserves the name in tables of words; give it another name"
            } else if let length = search.prefixLengths.first(where: { !lengths.contains($0) }) {
                "the prefix length \(length) is not between 1 and \(lengths.upperBound)"
            } else {
                nil
            }
        guard let obstacle else { return }
        refuse(
            .invalidProperty, entity.name, attribute.name,
            "Can't search \(path) because \(obstacle).")
    }
}
