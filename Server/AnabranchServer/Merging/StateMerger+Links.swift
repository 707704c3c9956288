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
        try forEachBatch(of: block) { links, keys, tags in
            let ends = keys.flatMap { [$0.left, $0.right] }
            let held = try writer.entities(of: ends)
            for (link, key) in zip(links, keys) {
                let areHeld = held[key.left] != nil && held[key.right] != nil
                guard areHeld || disabled.contains(.linkEnds) else { continue }
                let before = tags[key]
                guard merge(link, &tags[key, default: LinkTags()]) else { continue }
                try put(tags[key], on: key, of: block.property)
                tally.change(link, of: block.property, from: before, to: tags[key])
            }
        }
    }

    /// Removes the tags that the unlink had seen; a link without tags is removed.
    func unlink(_ block: LinkBlock) throws {
        try forEachBatch(of: block) { links, keys, tags in
            for (link, key) in zip(links, keys) {
                guard var left = tags[key] else { continue }
                let seen = disabled.contains(.linkTags) ? left.tags : link.observedTags
                guard left.remove(seen) else { continue }
                let before = tags[key]
                tags[key] = left.isEmpty ? nil : left
                try put(tags[key], on: key, of: block.property)
                tally.change(link, of: block.property, from: before, to: tags[key])
            }
        }
    }

    private func forEachBatch(
        of block: LinkBlock,
        _ body: (ArraySlice<LinkBlock.Link>, [LinkKey], inout [LinkKey: LinkTags]) throws -> Void
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
            var tags = try writer.tags(of: keys)
                .mapValues {
                    try StoredTags.tags(
                        decoding: $0, of: block.property, replica: writer.replica(at:))
                }
            try body(links, keys, &tags)
        }
    }

    private func put(_ tags: LinkTags?, on key: LinkKey, of property: WireProperty) throws {
        guard let tags else { return try writer.remove(key) }
        try writer.put(
            StoredTags.encoded(tags, of: property, ordinal: writer.ordinal(of:)), on: key)
    }
}
