import AnabranchModel
import AnabranchReplication

// Saves of surviving records. A save names only the surviving record of a duplicate set.
//
// Some changes are written to every member: a delete, a change of a key, a value under `keepBoth`,
// and null in place of a value. Every other write goes to the surviving record only, because the
// latest write wins.
extension SaveOperation {
    /// Separates the duplicate sets that a request names, and extends the request to their members.
    mutating func spread(_ request: inout SaveRequest) throws {
        let views = transaction.views
        for link in request.links where link.isAdded { try addEnds(of: link) }
        try views.separateDuplicates(Self.records(of: request))
        guard !views.membersBefore.isEmpty else { return }
        try moveBehindLog()
        for (place, update) in request.updates.enumerated() {
            request.updates += try writesToMembers(of: update)
            try count(&request.updates[place])
            try carryGroups(of: update, in: &request)
        }
        for delete in request.deletes { request.deletes += try deletesOfMembers(of: delete) }
        request.links = request.links.flatMap { linksOfMembers(of: $0) }
    }

    private static func records(of request: SaveRequest) -> [LocalID] {
        request.updates.flatMap(\.rows.ids) + request.deletes.flatMap { $0.rows.map(\.id) }
            + request.links.flatMap { [$0.owner, $0.other] }
            + request.lists.flatMap { [$0.owner] + $0.placed }
    }

    /// The members of the duplicate set that a record showed, including itself.
    func members(of id: LocalID) -> [LocalID] { transaction.views.membersBefore[id] ?? [id] }

    private func others(than id: LocalID) -> [LocalID] { members(of: id).filter { $0 != id } }

    /// Stores the last positions of the lists that a link changes, over all links that show as one
    /// list.
    private mutating func addEnds(of link: SaveRequest.LinkChange) throws {
        guard let layout = schema.links(of: link.relationship), layout.isList else { return }
        let (left, right) = try ends(of: link, layout: layout)
        if layout.relationship.isOrdered { try lists.recordEnd(of: left, layout.relationship) }
        if let inverse = layout.relationship.inverse, inverse.isOrdered {
            try lists.recordEnd(of: right, inverse)
        }
    }

    // MARK: - Updates

    /// The columns for which a write may go to all members of a duplicate set, and whether it
    /// always does. It always does for columns of a key and under `keepBoth`; for other columns
    /// only if the value is null.
    private func columnsOfAll(
        _ update: SaveRequest.Update
    ) -> [(property: PropertyDescription, isAlways: Bool)] {
        let layout = schema.layout(of: update.entity)
        return layout.columns.compactMap { column in
            guard update.rows.slots.contains(column.slot) else { return nil }
            let wire = column.property.wireProperty
            let isKey = column.property.attribute != nil && layout.keyProperties.contains(wire)
            switch column.rule {
            case .counter: return nil
            case .keepBoth: return (column.property, true)
            case .lastWriter: return (column.property, isKey)
            default:
                guard isKey || column.kind == .reference else { return nil }
                return (column.property, isKey)
            }
        }
    }

    private mutating func writesToMembers(
        of update: SaveRequest.Update
    ) throws -> [SaveRequest.Update] {
        let columns = columnsOfAll(update)
        guard !columns.isEmpty else { return [] }
        var found: [SaveRequest.Update] = []
        for (row, id) in update.rows.ids.enumerated() {
            let others = others(than: id)
            guard !others.isEmpty else { continue }
            let places = Dictionary(
                update.rows.slots.enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
            let written = columns.compactMap {
                column, isAlways -> (PropertyDescription, PropertyValue)? in
                guard let place = places[column.slot] else { return nil }
                let value = update.rows[row, place]
                return isAlways || value.isNull ? (column, value) : nil
            }
            for member in others {
                guard let entity = try entity(of: member, in: update.entity.root) else { continue }
                let held = written.filter { entity.isKind(of: $0.0.entity) }
                guard !held.isEmpty else { continue }
                var values = [PropertyValue](repeating: .null, count: entity.slots.count)
                for (property, value) in held { values[property.slot] = value }
                var write = SaveRequest.Update(entity: entity, slots: held.map(\.0.slot).sorted())
                values.withUnsafeBufferPointer { write.append(member, update.versions[row], $0) }
                shownBy[member] = id
                found.append(write)
            }
        }
        return found
    }

    private func entity(of id: LocalID, in root: EntityDescription) throws -> EntityDescription? {
        try StoreReader(connection, schema: schema).entity(of: id, in: root)
    }

    /// Adjusts the counters of an update. A surviving record shows the sum of all members, and the
    /// difference is added to one of them.
    private func count(_ update: inout SaveRequest.Update) throws {
        let columns = schema.layout(of: update.entity).columns.filter { $0.rule == .counter }
        for (place, slot) in update.rows.slots.enumerated() {
            guard let column = columns.first(where: { $0.slot == slot }) else { continue }
            let type = column.property.wireProperty.type
            for (row, id) in update.rows.ids.enumerated() where members(of: id).count > 1 {
                let others = try others(than: id).map { try value(of: column, id: $0) }
                let own = try value(of: column, id: id)
                let shown = others.reduce(own) { Self.sum($0, $1, type) }
                guard
                    let delta = Counter.delta(from: shown, to: update.rows[row, place], of: type)
                else { continue }
                update.rows.set(Self.sum(own, delta, type), row: row, column: place)
            }
        }
    }

    private static func sum(_ first: PropertyValue, _ second: PropertyValue, _ type: WireType)
        -> PropertyValue
    {
        if first.isNull { return second }
        return second.isNull ? first : Counter.sum(first, second, of: type)
    }

    private func value(of column: TableLayout.Column, id: LocalID) throws -> PropertyValue {
        try transaction.views.heldRow(id)?.value(of: column, on: connection) ?? .null
    }

    /// Carries members of attribute groups that this model does not know over from the value that
    /// is shown.
    private func carryGroups(of update: SaveRequest.Update, in request: inout SaveRequest) throws {
        let layout = schema.layout(of: update.entity)
        let groups = layout.properties.filter {
            $0.group != nil && !Set($0.slots).isDisjoint(with: update.rows.slots)
        }
        guard !groups.isEmpty else { return }
        let states = try CanonicalRows(
            StoreReader(connection, schema: schema), replicas: transaction.replicas)
        for id in update.rows.ids where members(of: id).count > 1 {
            let records = try members(of: id).compactMap {
                try states.record($0, in: layout.table)
            }
            for group in groups where request.carriedGroups[id]?[group.wire] == nil {
                let owners = records.filter { record in
                    schema.model.entity(wireName: record.entity)?.isKind(of: group.entity) ?? true
                }
                let cells = owners.flatMap { $0.cells.filter { $0.property == group.wire } }
                guard case .group(let value)? = cells.max(by: { $0.stamp < $1.stamp })?.value
                else { continue }
                for member in members(of: id) {
                    request.carriedGroups[member, default: [:]][group.wire] = value
                }
            }
        }
    }

    // MARK: - Deletes and links

    private mutating func deletesOfMembers(
        of delete: SaveRequest.Records
    ) throws -> [SaveRequest.Records] {
        var found: [SaveRequest.Records] = []
        for row in delete.rows {
            for member in others(than: row.id) {
                guard let entity = try entity(of: member, in: delete.entity.root) else { continue }
                shownBy[member] = row.id
                found.append(.init(entity: entity, rows: [(member, row.version)]))
            }
        }
        return found
    }

    /// The links between the members of both ends that a visible link may represent.
    private func linksOfMembers(of link: SaveRequest.LinkChange) -> [SaveRequest.LinkChange] {
        guard !link.isAdded else { return [link] }
        return members(of: link.owner).flatMap { owner in
            members(of: link.other).map { other in
                var link = link
                (link.owner, link.other) = (owner, other)
                return link
            }
        }
    }

    /// Among the links that show as one, the link with the visible position.
    func shownLink(
        _ change: SaveRequest.LinkChange, in layout: LinkLayout
    ) throws -> (left: LocalID, right: LocalID, tags: [LocalTag]) {
        let rows = LinkRows(connection)
        let all = try linksOfMembers(of: change).map { change in
            let (left, right) = try ends(of: change, layout: layout)
            return (left, right, try rows.tags(left: left, right: right, in: layout))
        }
        let (left, right) = try ends(of: change, layout: layout)
        let shown = try all.filter { !$0.2.isEmpty }.max { try isEarlier($0.2, $1.2) }
        return shown ?? (left, right, [])
    }

    private func isEarlier(_ left: [LocalTag], _ right: [LocalTag]) throws -> Bool {
        guard let left = left.last, let right = right.last else { return !right.isEmpty }
        return try wireStamp(left.stamp) < wireStamp(right.stamp)
    }
}
