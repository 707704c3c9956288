/// The states of the store in which the author of a save has seen the links of one relationship of
/// a record.
///
/// Links have no version of their own, so a save that removes some, or deletes the record, says
/// what its author has seen. A link that was added later is unknown to the author.
package struct SeenLinks: Sendable {
    /// The state in which the members were read, as its last position in the log; `nil` if they
    /// were not read.
    private var version: RowVersion?
    /// By member, the states of links that were seen in another one.
    private var others: [LocalID: RowVersion] = [:]

    /// - Parameter version: The state in which the members were read; `nil` if they were not.
    package init(_ version: RowVersion? = nil) { self.version = version }

    /// The state in which the link to a member was seen last; `nil` if nothing was read.
    package subscript(member: LocalID) -> RowVersion? { others[member] ?? version }

    package var isEmpty: Bool { version == nil && others.isEmpty }

    /// The oldest of the states.
    var oldest: RowVersion? {
        others.values.reduce(version) { min($0 ?? $1, $1) }
    }

    /// Registers that the members were read in another state. Links with an unsaved removal keep
    /// the state in which they were removed.
    ///
    /// - Parameter removed: The members of these links.
    package mutating func read(_ newer: SeenLinks, keeping removed: Set<LocalID>) {
        var read = newer
        for member in removed { read.others[member] = self[member] ?? read.others[member] }
        self = read
    }

    /// Registers the state in which the members count as seen although they were not read.
    package mutating func assumeRead(_ version: RowVersion) { self.version = version }

    /// Registers the state in which one link was seen; `nil` if that is not known.
    package mutating func see(_ member: LocalID, in version: RowVersion?) {
        if let version, self[member] != version { others[member] = version }
    }

    /// Registers that the removal of a link was taken back. The members show the link again.
    package mutating func readmit(_ member: LocalID) {
        if let version, let other = others[member], other < version { others[member] = nil }
    }

    /// Registers what a save has written. A new record has no other links at that time.
    package mutating func save(_ added: Set<LocalID>, in version: RowVersion, isLoaded: Bool) {
        if isLoaded, self.version == nil { self.version = version }
        for member in added { see(member, in: version) }
    }

    /// Takes the older of the states of two authors.
    package mutating func formOldest(_ other: SeenLinks) {
        var oldest = SeenLinks([version, other.version].compactMap(\.self).min())
        for member in Set(others.keys).union(other.others.keys) {
            oldest.others[member] = [self[member], other[member]].compactMap(\.self).min()
        }
        self = oldest
    }

    /// Gives members other IDs.
    package mutating func rename(_ names: [LocalID: LocalID]) {
        guard !others.isEmpty else { return }
        others = Dictionary(others.map { (names[$0] ?? $0, $1) }, uniquingKeysWith: min)
    }
}
