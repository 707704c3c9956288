import AnabranchStore

/// The objects that fetches have read together with those that they found. They stay in memory
/// while one of the found objects is in use.
struct PrefetchedObjects {
    private struct Group {
        let owners: [LocalID]
        let objects: [ManagedObject]
        /// The index of an owner that was in use when it was last looked at.
        var lastInUse = 0
    }

    private var groups: [Group] = []

    /// The groups of more fetches are not kept: two groups can keep each other in use.
    private static let greatestCount = 16

    /// Keeps objects for their owners.
    ///
    /// - Returns: The objects of the oldest fetch, for the caller to drop.
    mutating func keep(_ objects: [ManagedObject], for owners: [LocalID]) -> [ManagedObject] {
        groups.append(Group(owners: owners, objects: objects))
        return groups.count > Self.greatestCount ? groups.removeFirst().objects : []
    }

    /// Forgets the groups without an owner in use.
    ///
    /// - Returns: The objects, for the caller to drop.
    mutating func removeUnused(_ isInUse: (LocalID) -> Bool) -> [ManagedObject] {
        var unused: [ManagedObject] = []
        var kept: [Group] = []
        for var group in groups {
            let (before, after) = (
                group.owners[..<group.lastInUse], group.owners[group.lastInUse...]
            )
            if let index = after.firstIndex(where: isInUse) ?? before.firstIndex(where: isInUse) {
                group.lastInUse = index
                kept.append(group)
            } else {
                unused += group.objects
            }
        }
        groups = kept
        return unused
    }

    var isEmpty: Bool { groups.isEmpty }
}
