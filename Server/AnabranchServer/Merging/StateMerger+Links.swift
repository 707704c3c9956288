import AnabranchReplication

extension StateMerger {
    /// Adds the change set's tag to links of which the zone holds both ends, dead or alive.
    func link(_ block: LinkBlock) throws {
        try changeHeldLinks(of: block) { link, tags in tags.add(stamp, at: link.place) }
    }

    /// Replaces the tags that the move had seen by the change set's tag with the new position.
    func move(_ block: LinkBlock) throws {
        try changeHeldLinks(of: block) { link, tags in
            tags.move(link.observedTags, to: link.place, tag: stamp)
        }
    }

    private func changeHeldLinks(
        of block: LinkBlock, _ merge: (LinkBlock.Link, inout LinkTags) -> Bool
    ) throws {
        try forEachBatch(of: block) { links, keys in
            let ends = keys.flatMap { [$0.left, $0.right] }
            let held = try writer.entities(of: ends)
            for (link, key) in zip(links, keys) {
                let areHeld = held[key.left] != nil && held[key.right] != nil
                guard areHeld || !Mechanism.linkEnds.isOn else { continue }
                changedLinks.change(key) { merge(link, &$0) }
            }
        }
    }

    /// Removes the tags that the unlink had seen; a link without tags is removed.
    func unlink(_ block: LinkBlock) throws {
        try forEachBatch(of: block) { links, keys in
            for (link, key) in zip(links, keys) {
                changedLinks.change(key) { tags in
                    tags.remove(Mechanism.linkTags.isOn ? link.observedTags : tags.tags)
                }
            }
        }
    }

    /// Calls `body` with some links at a time and their keys. Their tags are in `changedLinks`.
    private func forEachBatch(
        of block: LinkBlock,
        _ body: (ArraySlice<LinkBlock.Link>, ArraySlice<LinkKey>) throws -> Void
    ) throws {
        let property = try writer.number(ofProperty: block.property)
        var rest = block.links[...]
        while !rest.isEmpty {
            try proceed()
            let links = rest.prefix(Self.batch)
            let keys = try links.map { link in
                LinkKey(
                    left: try key(of: link.left), property: property,
                    right: try key(of: link.right))
            }
            let count = try hold(links, keys, block.property)
            try body(links.prefix(count), keys.prefix(count))
            rest = rest.dropFirst(count)
            if changedLinks.count >= Self.batch || changedLinks.tagCount >= Self.tagsTogether {
                try writeChangedLinks()
            }
        }
    }

    private static let tagBytesTogether = 2 << 20

    /// Reads the tags of links that are not in `changedLinks` yet, unless they are too many.
    ///
    /// - Returns: The number of the first links that are in `changedLinks` now; at least one.
    private func hold(
        _ links: ArraySlice<LinkBlock.Link>, _ keys: [LinkKey], _ property: WireProperty
    ) throws -> Int {
        let (held, count) = try firstHeld(keys, unless: changedLinks.contains) {
            try writer.tags(of: $0, byteLimit: Self.tagBytesTogether)
        }
        for (link, key) in zip(links, keys.prefix(count)) where !changedLinks.contains(key) {
            let stored = try held[key].map {
                try StoredTags.tags(decoding: $0, of: property, replica: writer.replica(at:))
            }
            writer.countChanged(values: stored?.all.count ?? 0, byteCount: 0)
            changedLinks.add(
                key, .init(left: link.left, property: property, right: link.right), stored: stored)
        }
        return count
    }

    /// Writes the changed links and their part of the checksum.
    func writeChangedLinks() throws {
        var written: [LinkKey: [UInt8]?] = [:]
        for (key, entry) in changedLinks.takeAll() where entry.isChanged {
            tally.change(entry.link, from: entry.stored, to: entry.tags)
            if let tags = entry.tags { try check(tagCount: tags.all.count, of: key) }
            let bytes = try entry.tags.map {
                try StoredTags.encoded($0, of: entry.link.property, ordinal: writer.ordinal(of:))
            }
            written.updateValue(bytes, forKey: key)
        }
        if !written.isEmpty { try writer.put(written) }
    }
}
