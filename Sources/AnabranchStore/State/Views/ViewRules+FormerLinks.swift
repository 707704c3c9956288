import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// A relationship that is stored as links also shows what records have of the relationship that it
// was in another version of the model: the reference of a to-one, or links under another rule or
// of the other side.
//
// That is among the deferred rows or in dropped columns, because the model does not know it, and
// stays there. The link tables have a row without a tag for each link that nothing else shows. All
// statements that read links see such a row, and all code that merges links finds no tag in it.

/// The records and changes of the rule for former relationships within one transaction.
struct FormerLinkWork {
    /// Records that have other former links than before, or are ends of links that changed.
    var records: Set<LocalID> = []
    /// True if the former links of all records have to be found again.
    var isWholeFile = false
    /// The records with relationships that show something else.
    var changes = ChangeCollector()
    /// True if the rule was applied, so that there may be changes.
    var isApplied = false

    var isEmpty: Bool { records.isEmpty && !isWholeFile && !isApplied }
}

extension ViewRules {
    private struct Ends: Hashable {
        let layout: ObjectIdentifier
        let left: LocalID
        let right: LocalID
    }

    private var formerRows: FormerLinkRows { FormerLinkRows(connection) }

    // MARK: - Before a change

    /// Registers the records of a block that may have other former links afterwards.
    func willApplyFormerLinks(of block: ChangeBlock) throws {
        switch block {
        case .insert(let rows), .update(let rows):
            guard rows.properties.contains(where: { isFormer($0, of: rows.entity) }) else {
                return
            }
            try register(rows.records)
        case .link(let links), .unlink(let links), .move(let links):
            let isFormer = isFormer(links.property, of: links.entity)
            guard try isFormer || hasFormerLinks else { return }
            try register(links.links.map(\.left))
            if !isFormer { try register(links.links.map(\.right)) }
        case .delete, .yieldingDelete, .add, .write, .unknown: return
        }
    }

    /// True if links of the model show a property, which a block names with its entity; that of
    /// links may be abstract.
    private func isFormer(_ property: WireProperty, of entity: WireName) -> Bool {
        schema.entity(wireName: entity).map { schema.layout(of: $0) }?
            .linkSide(showing: property) != nil
    }

    private func register(_ records: [RecordID]) throws {
        try registerFormerLinks(of: records.map(transaction.localID))
    }

    /// Registers records that may have other former links when the transaction ends.
    func registerFormerLinks(of ids: some Sequence<LocalID>) {
        formerLinks.records.formUnion(ids)
    }

    /// Hides all former links, before records and change sets are renamed.
    func hideFormerLinks() throws {
        guard try hasFormerLinks else { return }
        try formerRows.hideAll(in: schema.syncedLinkLayouts)
        formerLinks.isWholeFile = true
    }

    /// True if a record of the file has a former link.
    private var hasFormerLinks: Bool {
        get throws { try !FormerLinkRows.isEmpty(on: connection) }
    }

    /// True unless the file has neither deferred rows nor columns of dropped to-ones.
    private var mayHaveFormerLinks: Bool {
        schema.hasDroppedReferences || !transaction.deferred.isEmpty
    }

    // MARK: - After all changes

    /// Applies the rule to the registered records.
    func applyFormerLinkRule() throws {
        if formerLinks.isWholeFile { return try applyFormerLinkRuleToAll() }
        let records = formerLinks.records
        formerLinks.records = []
        guard !records.isEmpty, schema.hasLinks, mayHaveFormerLinks else { return }
        let hadFormerLinks = try hasFormerLinks
        for id in records.sorted() { try findFormerLinks(of: id) }
        guard try hadFormerLinks || hasFormerLinks else { return }
        formerLinks.isApplied = true
        for id in Set(try records.map(mapped)).sorted() { try showFormerLinks(of: id) }
    }

    /// Applies the rule to all records, after duplicates are merged. It reports no changes.
    ///
    /// - Parameter report: Called between the statements, with the part of them that is done.
    func applyFormerLinkRuleToAll(reporting report: (Double) throws -> Void = { _ in }) throws {
        formerLinks = FormerLinkWork()
        guard schema.hasLinks, mayHaveFormerLinks else { return }
        try formerRows.removeAll()
        try formerRows.hideAll(in: schema.syncedLinkLayouts)
        try findAllFormerLinks()
        guard try hasFormerLinks else { return }
        try report(0.5)
        let (single, many) = (
            schema.syncedLinkLayouts.filter { $0.isSymmetric || $0.isList },
            schema.syncedLinkLayouts.filter { !$0.isSymmetric && !$0.isList }
        )
        for (place, layout) in many.enumerated() {
            try showFormerLinks(in: layout)
            try report(0.5 + Double(place + 1) / Double(many.count + 1) / 2)
        }
        for id in try single.isEmpty ? mergedDuplicates.allVisible() : formerRows.owners() {
            try showFormerLinks(of: mapped(id))
        }
        formerLinks = FormerLinkWork()
    }

    /// Shows the former links of an unordered relationship between records that are no duplicates,
    /// with one statement for each side that has them.
    private func showFormerLinks(in layout: LinkLayout) throws {
        let sides = [
            LinkSide(layout: layout, relationship: layout.relationship, isLeft: true),
            layout.relationship.inverse.map {
                LinkSide(layout: layout, relationship: $0, isLeft: false)
            },
        ]
        for side in sides.compactMap({ $0 }) {
            let owners = schema.layout(of: side.relationship.entity).table
            let others = schema.layout(of: side.destination).table
            let ends = side.isLeft ? "left, right" : "right, left"
            try connection.run(
                """
                INSERT OR IGNORE INTO \(layout.name) (\(ends))
                SELECT f.owner, f.other FROM ab_former_link f
                CROSS JOIN \(owners.name) t ON t.ab_pk = f.owner
                CROSS JOIN \(others.name) u ON u.ab_pk = f.other
                WHERE f.name = ?
                \(reader.schema.restriction(to: side.relationship.entity, alias: "t", after: "AND"))
                \(reader.schema.restriction(to: side.destination, alias: "u", after: "AND"))
                """, .text(side.relationship.declaredWireName.string))
        }
    }

    /// Writes down the links that the deferred rows and dropped columns of all records have.
    private func findAllFormerLinks() throws {
        let deferred = transaction.deferred
        deferred.isEmpty = false
        let cells = try DeferredRows.cellProperties(on: connection)
        let links = try DeferredRows.linkProperties(on: connection)
        for layout in schema.layouts where !layout.entity.isAbstract {
            for dropped in layout.droppedReferencesShownAsLinks {
                try formerRows.add(dropped, of: layout)
            }
            for records in [RecordSource.rows(of: layout), .deferred(layout)] {
                for former in cells where layout.linkSide(showing: former) != nil {
                    let rows = try formerRows.insertion(of: former.name)
                    try deferred.readCells(of: former, in: records) { owner, value in
                        guard let other = ListEntry.target(of: value) else { return }
                        try rows.add(owner, transaction.localID(of: other))
                    }
                }
                for former in links where layout.linkSide(showing: former) != nil {
                    let rows = try formerRows.insertion(of: former.name)
                    try deferred.readLinks(of: former, in: records, rows.add)
                }
            }
        }
    }

    /// Writes down the links that the deferred rows and dropped columns of a record have.
    private func findFormerLinks(of id: LocalID) throws {
        try formerRows.removeAll(ownedBy: id)
        guard let layout = try layoutOfHeld(id) else { return }
        for cell in try transaction.deferred.cells(of: id) {
            guard layout.linkSide(showing: cell.property) != nil,
                let other = ListEntry.target(of: cell.value)
            else { continue }
            try formerRows.insertion(of: cell.property.name)
                .add(id, transaction.localID(of: other))
        }
        for (property, link) in try transaction.deferred.links(of: id) where link.left == id {
            guard layout.linkSide(showing: property) != nil else { continue }
            try formerRows.insertion(of: property.name).add(id, link.right)
        }
    }

    /// The layout of a record that is held, with a row or without one.
    private func layoutOfHeld(_ id: LocalID) throws -> EntityLayout? {
        if let entity = try transaction.held.entity(of: id) { return schema.layout(of: entity) }
        return try transaction.deferred.entity(of: id).flatMap { schema.recordLayout(named: $0) }
    }

    /// Shows the former links of a visible record and of the records that it shows, and hides those
    /// that are no longer there.
    private func showFormerLinks(of visible: LocalID) throws {
        let members = try mergedDuplicates.members(of: visible)
        var wanted: [Ends: LinkLayout] = [:]
        for member in members.isEmpty ? [visible] : members {
            for link in try formerRows.links(of: member) {
                if let (ends, layout) = try shown(link) { wanted[ends] = layout }
            }
        }
        for layout in schema.syncedLinkLayouts {
            for (left, right) in try formerRows.shown(of: visible, in: layout) {
                let ends = Ends(layout: ObjectIdentifier(layout), left: left, right: right)
                guard wanted[ends] == nil else { continue }
                try formerRows.hide(left: left, right: right, in: layout)
                try collectFormerLink(left, right, layout)
            }
        }
        for (ends, layout) in wanted {
            let place = try place(left: ends.left, right: ends.right, in: layout)
            if try formerRows.show(left: ends.left, right: ends.right, at: place, in: layout) {
                try collectFormerLink(ends.left, ends.right, layout)
            }
        }
    }

    /// A former link as it shows; `nil` if one of its ends has no row, or is of another entity.
    private func shown(_ link: FormerLinkRows.Link) throws -> (Ends, LinkLayout)? {
        let (owner, other) = (try mapped(link.owner), try mapped(link.other))
        guard let entity = try transaction.held.entity(of: owner),
            let side = schema.layout(of: entity).linkSides[link.name],
            try reader.entity(of: other, in: side.destination.root)?.isKind(of: side.destination)
                == true
        else { return nil }
        var (left, right) = side.isLeft ? (owner, other) : (other, owner)
        if side.layout.isSymmetric,
            try transaction.recordID(of: right) < transaction.recordID(of: left)
        {
            (left, right) = (right, left)
        }
        return (Ends(layout: ObjectIdentifier(side.layout), left: left, right: right), side.layout)
    }

    /// The positions of a link that no save has placed.
    private func place(
        left: LocalID, right: LocalID, in layout: LinkLayout
    ) throws -> LinkPosition {
        guard layout.isList else { return .none }
        let relationship = layout.relationship
        return LinkPosition(
            inLeft: relationship.isOrdered
                ? .unplaced(try transaction.recordID(of: right)) : nil,
            inRight: relationship.inverse?.isOrdered == true
                ? .unplaced(try transaction.recordID(of: left)) : nil)
    }

    private func collectFormerLink(_ left: LocalID, _ right: LocalID, _ layout: LinkLayout) throws {
        try formerLinks.changes.addEnds(left, right, of: layout, reader)
    }
}
