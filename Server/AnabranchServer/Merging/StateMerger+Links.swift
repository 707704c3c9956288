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
                guard areHeld || disabled.contains(.linkEnds) else { continue }
                changedLinks.change(key) { merge(link, &$0) }
            }
        }
    }

    /// Removes the tags that the unlink had seen; a link without tags is removed.
    func unlink(_ block: LinkBlock) throws {
        try forEachBatch(of: block) { links, keys in
            for (link, key) in zip(links, keys) {
                changedLinks.change(key) { tags in
                    tags.remove(disabled.contains(.linkTags) ? tags.tags : link.observedTags)
                }
            }
        }
    }

    /// Calls `body` with some links at a time and their keys. Their tags are in `changedLinks`.
    private func forEachBatch(
        of block: LinkBlock,
        _ body: (ArraySlice<LinkBlock.Link>, [LinkKey]) throws -> Void
    ) throws {
        let property = try writer.number(ofProperty: block.property)
        for start in stride(from: 0, to: block.links.count, by: Self.batch) {
            try proceed()
            let links = block.links[start..<min(start + Self.batch, block.links.count)]
            let keys = try links.map { link in
                LinkKey(
                    left: try key(of: link.left), property: property,
                    right: try key(of: link.right))
            }
            try hold(links, keys, block.property)
            try body(links, keys)
            if changedLinks.count >= Self.batch || changedLinks.tagCount >= Self.tagsTogether {
                try writeChangedLinks()
            }
        }
    }

    /// Reads the tags of links that are not in `changedLinks` yet.
    private func hold(
        _ links: ArraySlice<LinkBlock.Link>, _ keys: [LinkKey], _ property: WireProperty
    ) throws {
        let missing = keys.filter { !changedLinks.contains($0) }
        guard !missing.isEmpty else { return }
        let held = try writer.tags(of: missing)
        for (link, key) in zip(links, keys) where !changedLinks.contains(key) {
            let stored = try held[key].map {
                try StoredTags.tags(decoding: $0, of: property, replica: writer.replica(at:))
            }
            changedLinks.add(
                key, .init(left: link.left, property: property, right: link.right), stored: stored)
        }
    }

    /// Writes the changed links and their part of the checksum.
    func writeChangedLinks() throws {
        for (key, entry) in changedLinks.takeAll() where entry.isChanged {
            tally.change(entry.link, from: entry.stored, to: entry.tags)
            guard let tags = entry.tags else {
                try writer.remove(key)
                continue
            }
            try check(tagCount: tags.all.count, of: key)
            try writer.put(
                StoredTags.encoded(tags, of: entry.link.property, ordinal: writer.ordinal(of:)),
                on: key)
        }
    }
}
