import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SaveOperation {
    /// Adds, moves and removes links, with one block for each relationship and operation.
    mutating func write(
        _ changes: [SaveRequest.LinkChange], moves: [SaveRequest.ListChange]
    ) throws {
        for layout in schema.linkLayouts {
            let own = changes.filter { $0.relationship.storedSide == layout.relationship }
            let moves = moves.filter { $0.relationship.storedSide == layout.relationship }
            guard !own.isEmpty || !moves.isEmpty else { continue }
            try write(own.filter(\.isAdded), adding: true, layout: layout)
            try write(moves, layout: layout)
            try write(own.filter { !$0.isAdded }, adding: false, layout: layout)
        }
    }

    /// Moves existing links that this save has not added.
    private mutating func write(_ lists: [SaveRequest.ListChange], layout: LinkLayout) throws {
        let rows = LinkRows(connection)
        var links = PendingLinks(of: layout)
        var shownBefore: [SaveRequest.LinkChange] = []
        for list in lists {
            for member in list.order where list.placed.contains(member) {
                let change = SaveRequest.LinkChange(
                    relationship: list.relationship, owner: list.owner, other: member,
                    isAdded: true)
                let (left, right, held) = try shownLink(change, in: layout)
                if held.isEmpty, try !formerLinks(left, right, in: layout).isEmpty {
                    shownBefore.append(change)
                }
                // The link was added by this save, moved by it in the other end's list, or removed
                // meanwhile.
                guard let shown = held.last, shown.stamp != stamp else { continue }
                let ends = try ends(of: change, layout: layout)
                let place = try place(
                    left: ends.left, right: ends.right, in: layout, over: shown.place)
                try rows.set(
                    [LocalTag(stamp: stamp, place: place)], left: left, right: right, in: layout)
                links.append(
                    LinkBlock.Link(
                        left: try transaction.recordID(of: left),
                        right: try transaction.recordID(of: right),
                        observedTags: try held.map { try wireStamp($0.stamp) }, place: place))
                if links.fill(room) { try append(&links, ChangeBlock.move) }
            }
        }
        try append(&links, ChangeBlock.move)
        // A link of a former relationship gets its position as a link of this one.
        try write(shownBefore, adding: true, layout: layout)
    }

    private mutating func append(
        _ links: inout PendingLinks, _ operation: (LinkBlock) -> ChangeBlock
    ) throws {
        guard let block = links.take() else { return }
        encoder.append(operation(block))
        try cutIfFull()
    }

    /// The positions of a link.
    ///
    /// - Parameter held: The present positions; `nil` for a new link.
    private mutating func place(
        left: LocalID, right: LocalID, in layout: LinkLayout, over held: LinkPosition? = nil
    ) throws -> LinkPosition {
        var place = held ?? .none
        if layout.relationship.isOrdered {
            place.inLeft = try lists.position(
                of: right, in: left, layout.relationship, over: place.inLeft)
        }
        if let inverse = layout.relationship.inverse, inverse.isOrdered {
            place.inRight = try lists.position(of: left, in: right, inverse, over: place.inRight)
        }
        return place
    }

    private mutating func write(
        _ changes: [SaveRequest.LinkChange], adding: Bool, layout: LinkLayout
    ) throws {
        let rows = LinkRows(connection)
        var links = PendingLinks(of: layout)
        for change in changes {
            let (left, right) = try ends(of: change, layout: layout)
            var tags = try rows.tags(left: left, right: right, in: layout)
            var link = LinkBlock.Link(
                left: try transaction.recordID(of: left),
                right: try transaction.recordID(of: right))
            if adding {
                guard try areHeld(left, right, in: layout), tags.isEmpty else { continue }
                link.place = try place(left: left, right: right, in: layout)
                tags = [LocalTag(stamp: stamp, place: link.place)]
            } else {
                try removeFormerLinks(left, right, in: layout)
                guard !tags.isEmpty else { continue }
                try findUnseenTags(tags, of: change, layout, left: left, right: right)
                link.observedTags = try tags.map { try wireStamp($0.stamp) }
                tags = []
            }
            try rows.set(tags, left: left, right: right, in: layout)
            links.append(link)
            if links.fill(room) {
                try append(&links, adding ? ChangeBlock.link : ChangeBlock.unlink)
            }
        }
        try append(&links, adding ? ChangeBlock.link : ChangeBlock.unlink)
    }

    /// True if both ends of a link are held. A link to a deleted record is a merge conflict.
    private mutating func areHeld(
        _ left: LocalID, _ right: LocalID, in layout: LinkLayout
    ) throws -> Bool {
        let records = transaction.held
        let hasLeft = try records.holds(left, first: layout.leftEntity)
        let hasRight = try records.holds(right, first: layout.rightEntity)
        if !hasLeft { addStale(left) }
        if !hasRight { addStale(right) }
        return hasLeft && hasRight
    }

    func wireStamp(_ stamp: LocalStamp) throws -> Stamp {
        guard let replica = transaction.replicas[stamp.ordinal] else {
            throw StoreError(.corrupt, "Can't save because a link names an unknown replica.")
        }
        return Stamp(timestamp: HybridTimestamp(rawValue: stamp.timestamp), replica: replica)
    }

    /// The ends of a link as they are stored. If the relationship is its own inverse, the smaller
    /// identity is on the left.
    func ends(
        of change: SaveRequest.LinkChange, layout: LinkLayout
    ) throws -> (left: LocalID, right: LocalID) {
        if layout.isSymmetric {
            let isInOrder =
                try transaction.recordID(of: change.owner)
                < transaction.recordID(of: change.other)
            return isInOrder ? (change.owner, change.other) : (change.other, change.owner)
        }
        return change.relationship.storage == .links(.right)
            ? (change.other, change.owner) : (change.owner, change.other)
    }
}

/// The links of one relationship that go into one block.
private struct PendingLinks {
    private let layout: LinkLayout
    private var links: [LinkBlock.Link] = []
    private var byteCount = 0
    private var cellCount = 0

    init(of layout: LinkLayout) { self.layout = layout }

    mutating func append(_ link: LinkBlock.Link) {
        links.append(link)
        let positions = [link.place.inLeft, link.place.inRight].compactMap(\.?.bytes.count)
        byteCount += 8 + positions.reduce(0, +) + link.observedTags.count * 10
        cellCount += 4 + link.observedTags.count
    }

    /// True if the links fill a part.
    func fill(_ room: (byteCount: Int, cellCount: Int)) -> Bool {
        byteCount >= room.byteCount || cellCount >= room.cellCount
    }

    mutating func take() -> LinkBlock? {
        guard !links.isEmpty else { return nil }
        defer { self = PendingLinks(of: layout) }
        return LinkBlock(
            entity: layout.leftEntity.wireName, property: layout.relationship.wireProperty,
            links: links)
    }
}
