import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension ChangeSetMerge {
    mutating func link(_ block: LinkBlock, of set: IncomingSet) throws {
        try changeHeldLinks(of: block, by: set) { link, tags in
            tags.add(set.stampOnWire, at: link.place)
        }
    }

    mutating func move(_ block: LinkBlock, of set: IncomingSet) throws {
        try changeHeldLinks(of: block, by: set) { link, tags in
            tags.move(link.observedTags, to: link.place, tag: set.stampOnWire)
        }
    }

    private mutating func changeHeldLinks(
        of block: LinkBlock, by set: IncomingSet,
        _ merge: (LinkBlock.Link, inout LinkTags) -> Bool
    ) throws {
        let isLoose = !Mechanism.linkEnds.isOn
        let layout = layout(of: block)
        for link in block.links {
            let ends = try localEnds(of: link)
            let areHeld =
                try held.holds(ends.left, first: layout?.leftEntity)
                && held.holds(ends.right, first: layout?.rightEntity)
            guard areHeld || isLoose else {
                try journal.record(
                    .init(
                        kind: .linkToDeleted, record: ends.left, entity: block.entity,
                        property: block.property, value: .reference(link.right), lost: set.stamp,
                        winner: nil))
                continue
            }
            try change(ends, in: block, layout) { merge(link, &$0) }
        }
    }

    mutating func unlink(_ block: LinkBlock, of set: IncomingSet) throws {
        let seesAll = !Mechanism.linkTags.isOn
        let layout = layout(of: block)
        for link in block.links {
            let ends = try localEnds(of: link)
            try change(ends, in: block, layout) { tags in
                tags.remove(seesAll ? tags.tags : link.observedTags)
            }
        }
    }

    private func localEnds(of link: LinkBlock.Link) throws -> (left: LocalID, right: LocalID) {
        (try transaction.localID(of: link.left), try transaction.localID(of: link.right))
    }

    private func layout(of block: LinkBlock) -> LinkLayout? {
        schema.entity(wireName: block.entity).flatMap {
            schema.links(of: $0, property: block.property)
        }
    }

    private mutating func change(
        _ ends: (left: LocalID, right: LocalID), in block: LinkBlock, _ layout: LinkLayout?,
        _ merge: (inout LinkTags) -> Bool
    ) throws {
        let isNew = try transaction.changedLinks.change(
            block.property, left: ends.left, right: ends.right, in: layout, merge)
        guard isNew, let layout else { return }
        // A further tag of a link shows nothing new, but a context that has read the link before
        // has not seen the tag, until it reads the link again.
        try changes.addEnds(
            ends.left, ends.right, of: layout, StoreReader(connection, schema: schema))
    }
}

extension IncomingSet {
    var stampOnWire: Stamp { changeSet.stamp }
}
