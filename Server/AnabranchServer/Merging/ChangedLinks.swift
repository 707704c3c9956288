import AnabranchReplication

/// The links that a change set names, each with its tags decoded once, however often it is named.
///
/// The tags are encoded after the last operation. So the work is proportional to the operations and
/// to the tags, and not to their product, as for ``ChangedRows``.
final class ChangedLinks {
    /// A link with its tags, as the zone stores them and as they are now; `nil` without a link.
    struct Entry {
        let link: CanonicalLink
        let stored: LinkTags?
        fileprivate(set) var tags: LinkTags?

        var isChanged: Bool { hasChanged && stored != tags }
        fileprivate var hasChanged = false
    }

    /// The names of a link, as its checksum has them.
    struct CanonicalLink {
        let left: RecordID
        let property: WireProperty
        let right: RecordID
    }

    private var entries: [LinkKey: Entry] = [:]
    /// The links of each record that is an end of one.
    private var linksByEnd: [RecordKey: Set<LinkKey>] = [:]
    /// The number of tags that were decoded.
    private(set) var tagCount = 0

    var count: Int { entries.count }

    func contains(_ key: LinkKey) -> Bool { entries[key] != nil }

    func add(_ key: LinkKey, _ link: CanonicalLink, stored: LinkTags?) {
        entries[key] = Entry(link: link, stored: stored, tags: stored)
        linksByEnd[key.left, default: []].insert(key)
        linksByEnd[key.right, default: []].insert(key)
        tagCount += stored?.all.count ?? 0
    }

    /// Changes the tags of a link that was added.
    ///
    /// - Parameter body: Receives the tags, empty for a link that does not exist. It returns true
    ///   if it changed them; a link without tags then exists no more.
    func change(_ key: LinkKey, _ body: (inout LinkTags) -> Bool) {
        guard let index = entries.index(forKey: key) else { return }
        var tags = LinkTags()
        swap(&tags, &entries.values[index].tagsOrNone)
        if body(&tags) { entries.values[index].hasChanged = true }
        swap(&tags, &entries.values[index].tagsOrNone)
    }

    /// Drops the links of a record with their changes, because the record was deleted.
    func forget(linksOf key: RecordKey) {
        for link in linksByEnd.removeValue(forKey: key) ?? [] {
            entries[link] = nil
            linksByEnd[link.left]?.remove(link)
            linksByEnd[link.right]?.remove(link)
        }
    }

    /// Returns all links, and forgets them.
    func takeAll() -> [LinkKey: Entry] {
        defer { (entries, linksByEnd, tagCount) = ([:], [:], 0) }
        return entries
    }
}

extension ChangedLinks.Entry {
    /// The tags, none for a link that does not exist. A link without tags does not exist.
    fileprivate var tagsOrNone: LinkTags {
        get { tags ?? LinkTags() }
        set { tags = newValue.isEmpty ? nil : newValue }
    }
}
