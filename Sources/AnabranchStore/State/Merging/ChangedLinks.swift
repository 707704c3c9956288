import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The links that change sets name, each with its tags decoded once, however often it is named.
///
/// The tags are encoded after the last operation. So the work is proportional to the operations and
/// to the tags, and not to their product. A transaction writes the links before anything else reads
/// them: those of one record before it loses its row, and all before the rows are read as a whole.
final class ChangedLinks {
    /// The table or the relationship under which the tags of a link are stored.
    private enum Place: Hashable {
        case table(ObjectIdentifier)
        case deferred(WireProperty)
    }

    private struct Name: Hashable {
        let place: Place
        let left: LocalID
        let right: LocalID
    }

    private struct Entry {
        let name: Name
        let property: WireProperty
        /// The table; `nil` if the link is among the deferred rows.
        let layout: LinkLayout?
        var tags: LinkTags
        var isChanged = false
    }

    private unowned let transaction: StateTransaction
    private var entries: [Entry] = []
    private var indices: [Name: Int] = [:]
    /// The entries of each end; `nil` as long as nothing has asked for it.
    private var indicesByEnd: [LocalID: [Int]]?
    private var tagCount = 0
    /// True if an entry is of a link among the deferred rows.
    private var hasDeferred = false

    /// The numbers of links and of their tags that are in memory at the same time.
    private static let mostLinks = 1000
    private static let mostTags = 100_000

    /// The transaction's own links: use ``StateTransaction/changedLinks``.
    init(_ transaction: StateTransaction) { self.transaction = transaction }

    /// Changes the tags of a link.
    ///
    /// - Parameters:
    ///   - layout: The link's table; `nil` if the model does not know the relationship. If the left
    ///     end is of an entity that the model does not know, and the right one is a merged
    ///     duplicate, the link is among the deferred rows in any case.
    ///   - merge: Returns true if it changed the tags, which are empty if there is no such link.
    /// - Returns: True if the link has changed for the first time since it was read.
    func change(
        _ property: WireProperty, left: LocalID, right: LocalID, in layout: LinkLayout?,
        _ merge: (inout LinkTags) -> Bool
    ) throws -> Bool {
        let index = try index(property, left: left, right: right, in: layout)
        guard merge(&entries[index].tags), !entries[index].isChanged else { return false }
        entries[index].isChanged = true
        return true
    }

    private func index(
        _ property: WireProperty, left: LocalID, right: LocalID, in layout: LinkLayout?
    ) throws -> Int {
        guard let layout, try !isDeferred(property, left: left, right: right) else {
            let name = Name(place: .deferred(property), left: left, right: right)
            return try indices[name]
                ?? add(
                    name, property, nil,
                    transaction.deferred.tags(property, left: left, right: right))
        }
        let name = Name(place: .table(ObjectIdentifier(layout)), left: left, right: right)
        return try indices[name]
            ?? add(
                name, property, layout,
                LinkRows(transaction.connection).tags(left: left, right: right, in: layout))
    }

    /// True if a link is among the deferred rows now.
    private func isDeferred(
        _ property: WireProperty, left: LocalID, right: LocalID
    ) throws -> Bool {
        if hasDeferred {
            let name = Name(place: .deferred(property), left: left, right: right)
            if let index = indices[name] { return !entries[index].tags.isEmpty }
        }
        return try transaction.deferred.hasLink(property, left: left, right: right)
    }

    private func add(
        _ name: Name, _ property: WireProperty, _ layout: LinkLayout?, _ tags: [LocalTag]
    ) throws -> Int {
        if entries.count >= Self.mostLinks || tagCount > Self.mostTags { try write() }
        transaction.hasUnwrittenChanges = true
        let index = entries.count
        entries.append(
            Entry(
                name: name, property: property, layout: layout,
                tags: transaction.replicas.linkTags(tags)))
        indices[name] = index
        tagCount += tags.count
        if layout == nil { hasDeferred = true }
        if indicesByEnd != nil { addEnds(of: index) }
        return index
    }

    private func addEnds(of index: Int) {
        let name = entries[index].name
        for end in Set([name.left, name.right]) {
            indicesByEnd?[end, default: []].append(index)
        }
    }

    // MARK: - Writing

    func write() throws {
        guard !entries.isEmpty else { return }
        for entry in entries { try write(entry) }
        entries.removeAll(keepingCapacity: true)
        indices.removeAll(keepingCapacity: true)
        indicesByEnd = nil
        tagCount = 0
        hasDeferred = false
    }

    /// Writes the links of a record.
    func write(linksOf id: LocalID) throws {
        guard !entries.isEmpty else { return }
        if indicesByEnd == nil {
            indicesByEnd = [:]
            for index in entries.indices { addEnds(of: index) }
        }
        for index in indicesByEnd?.removeValue(forKey: id) ?? [] {
            try write(entries[index])
            // Its index stays in the list of its other end. A link that is named again later has
            // another entry.
            entries[index].isChanged = false
            if indices[entries[index].name] == index { indices[entries[index].name] = nil }
        }
    }

    private func write(_ entry: Entry) throws {
        guard entry.isChanged else { return }
        let (left, right) = (entry.name.left, entry.name.right)
        let tags = try transaction.localTags(entry.tags)
        guard let layout = entry.layout else {
            return try transaction.deferred.setTags(tags, entry.property, left: left, right: right)
        }
        try LinkRows(transaction.connection).set(tags, left: left, right: right, in: layout)
    }
}
