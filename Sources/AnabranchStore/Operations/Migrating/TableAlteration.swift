import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// A change of a file's tables from one version of a model to another one that writes no record's
/// row.
///
/// Its time does not depend on the number of records, except for indexes that it creates. It is
/// possible if the new version has what the old one has, under the same rules: it may add entities
/// and properties, rename what is there, drop attributes and to-ones (``DroppedColumn``), and make
/// a to-one to-many, which adds rows for the links. Everything else needs a ``ModelMigration``.
struct TableAlteration {
    private let former: StoreSchema
    private let present: StoreSchema
    /// The tables that stay, as the old and the new version have them.
    private let tables: [(former: TableLayout, present: TableLayout)]
    private let links: [(former: LinkLayout, present: LinkLayout)]

    /// - Returns: `nil` if a row would have to be written.
    init?(from former: StoreSchema, to present: StoreSchema) {
        self.former = former
        self.present = present
        guard former.constraintIdentities == present.constraintIdentities else { return nil }
        var tables: [(TableLayout, TableLayout)] = []
        for table in former.tables {
            guard
                let successor = present.tables.first(where: {
                    present.number(of: $0) == former.number(of: table)
                }), former.canBecome(table, successor, in: present)
            else { return nil }
            tables.append((table, successor))
        }
        var links: [(LinkLayout, LinkLayout)] = []
        for link in former.linkLayouts {
            guard
                let successor = present.linkLayouts.first(where: {
                    former.identity(of: link) == present.identity(of: $0)
                })
            else { return nil }
            links.append((link, successor))
        }
        self.tables = tables
        self.links = links
    }

    /// The numbers of the properties that are added to tables with rows, by the number of the root
    /// entity.
    var addedProperties: [Int64: Set<Int>] {
        var added: [Int64: Set<Int>] = [:]
        for (former, present) in tables {
            let known = Set(former.columns.map(\.number))
            let new = Set(present.columns.map(\.number)).subtracting(known)
            if !new.isEmpty { added[self.present.number(of: present)] = new }
        }
        return added
    }

    /// True if relationships of the new version show references in dropped columns as links, for
    /// which the link tables have no rows yet.
    var makesLinks: Bool {
        present.linkLayouts.count > links.count
            && present.layouts.contains { !$0.droppedReferencesShownAsLinks.isEmpty }
    }

    /// Returns true if what the file holds makes it necessary to write rows.
    func needsRows(_ connection: Connection) throws -> Bool {
        try isAwaited(connection) || hidesDropped(connection) || showsOtherDefaults(connection)
    }

    /// Returns true if a record has null in an attribute that becomes mandatory and shows its
    /// default then, or shows the default of one that becomes optional.
    private func showsOtherDefaults(_ connection: Connection) throws -> Bool {
        for (former, present) in tables {
            for property in present.properties {
                guard
                    let old = former.properties.first(where: { $0.number == property.number }),
                    old.valueWhenNull != property.valueWhenNull
                else { continue }
                if !old.valueWhenNull.isNull,
                    try DeferredRows.cellProperties(on: connection).contains(old.wire)
                {
                    return true
                }
                if try former.hasNull(old, in: self.former, connection) { return true }
            }
        }
        return false
    }

    /// Returns true if a record's reference that becomes a dropped column is hidden, so that the
    /// column does not have it.
    private func hidesDropped(_ connection: Connection) throws -> Bool {
        for (former, present) in tables {
            let known = Set(former.dropped.map(\.number))
            for dropped in present.dropped
            where dropped.kind == .reference && !known.contains(dropped.number) {
                let hidden = try connection.firstValue(
                    """
                    SELECT 1 FROM ab_hidden h JOIN \(former.name) t ON t.ab_pk = h.record
                    WHERE h.property = ?
                    """, .integer(Int64(dropped.number)))
                if hidden != nil { return true }
            }
        }
        return false
    }

    /// Returns true if the file holds something that only the new version knows. It waits among
    /// the deferred rows, and its rows have to be written.
    private func isAwaited(_ connection: Connection) throws -> Bool {
        let known = Set(former.layouts.flatMap { $0.properties.map(\.wire) })
        let columns = Set(present.layouts.flatMap { $0.properties.map(\.wire) })
            .subtracting(known)
        let cells = columns.isEmpty ? [] : try DeferredRows.cellProperties(on: connection)
        if cells.contains(where: { cell in
            columns.contains { $0 == cell || $0.continues(cell) }
        }) {
            return true
        }
        let new = Set(present.linkLayouts.map(\.relationship.wireProperty))
            .subtracting(former.linkLayouts.map(\.relationship.wireProperty))
        let links = try DeferredRows.linkProperties(on: connection)
        if !new.isDisjoint(with: links) { return true }
        let sides = present.layouts.flatMap(\.linkSides.values).filter {
            new.contains($0.layout.relationship.wireProperty)
        }
        let others =
            try sides.isEmpty
            ? [] : links.union(DeferredRows.cellProperties(on: connection))
        if others.contains(where: { property in sides.contains { $0.shows(property) } }) {
            return true
        }
        return try connection.rows("SELECT DISTINCT entity FROM ab_deferred_record").contains {
            guard case .text(let name) = $0[0] else { return false }
            return former.recordLayout(named: WireName(name)) == nil
                && present.recordLayout(named: WireName(name)) != nil
        }
    }

    /// Changes the tables and indexes. The caller writes the model and its numbers.
    func run(_ connection: Connection) throws {
        let indexes = (former: former.indexes, present: present.indexes)
        for index in indexes.former where !indexes.present.contains(index) {
            try connection.execute("DROP INDEX IF EXISTS \(index.name)")
        }
        try connection.removeSearchTables(of: former, unlessIn: present)
        try renameTables(connection)
        for (former, present) in tables {
            try renameColumns(of: former, to: present, connection)
            try addColumns(to: present, lacking: former, connection)
        }
        let staying = (tables.map(\.present.name) + links.map(\.present.name))
        for table in present.tables where !staying.contains(table.name) {
            try connection.execute(table.creation)
        }
        for link in present.linkLayouts where !staying.contains(link.name) {
            try connection.execute(link.creation)
        }
        for index in indexes.present where !indexes.former.contains(index) {
            try connection.execute(index.creation)
        }
        try connection.createSearchTables(of: present, unlessIn: former)
    }

    private func renameTables(_ connection: Connection) throws {
        let all =
            tables.map { ($0.former.name, $0.present.name) }
            + links.map { ($0.former.name, $0.present.name) }
        try rename(all) { former, present in
            try connection.execute("ALTER TABLE \(former) RENAME TO \(present)")
        }
    }

    private func renameColumns(
        of former: TableLayout, to present: TableLayout, _ connection: Connection
    ) throws {
        let all = former.columns.flatMap { column in
            let successor = present.columns.first { $0.isSuccessor(of: column) }
            let dropped = present.dropped.first { $0.number == column.number }
            return Array(
                zip(column.names, successor?.names ?? dropped.map { [$0.name] } ?? column.names))
        }
        try rename(all) {
            try connection.execute("ALTER TABLE \(present.name) RENAME COLUMN \($0) TO \($1)")
        }
    }

    /// Renames things in two steps, because one may get the former name of another one.
    private func rename(
        _ names: [(former: String, present: String)], by step: (String, String) throws -> Void
    ) rethrows {
        let changed = names.filter { $0.former != $0.present }
        for (place, name) in changed.enumerated() {
            try step(name.former, SQL.quoted("ab_renamed_\(place)"))
        }
        for (place, name) in changed.enumerated() {
            try step(SQL.quoted("ab_renamed_\(place)"), name.present)
        }
    }

    private func addColumns(
        to present: TableLayout, lacking former: TableLayout, _ connection: Connection
    ) throws {
        for column in present.columns
        where !former.columns.contains(where: { column.isSuccessor(of: $0) }) {
            let definitions = [column.definition] + (column.position.map { ["\($0) BLOB"] } ?? [])
            for definition in definitions {
                try connection.execute("ALTER TABLE \(present.name) ADD COLUMN \(definition)")
            }
        }
    }
}

extension StoreSchema {
    fileprivate func number(of table: TableLayout) -> Int64 { layout(of: table.root).number }

    /// Identifies the uniqueness constraints across versions, in their order.
    fileprivate var constraintIdentities: [[Int64]] {
        constraints.map { constraint in
            [constraint.number, layout(of: constraint.owner).number]
                + constraint.columns.map { Int64($0.number) }
        }
    }

    /// Identifies a link table across versions, together with all that decides its rows.
    fileprivate func identity(of link: LinkLayout) -> [AnyHashable] {
        [
            layout(of: link.leftEntity).number, layout(of: link.rightEntity).number,
            link.relationship.wireProperty, link.isList, link.isSymmetric,
            link.relationship.isOrdered, link.relationship.inverse?.isOrdered,
        ]
    }

    /// Returns true if a table can become that of a later version without a write of its rows.
    fileprivate func canBecome(
        _ table: TableLayout, _ successor: TableLayout, in later: StoreSchema
    ) -> Bool {
        let entities = table.root.hierarchy.filter { !$0.isAbstract }.map { layout(of: $0).number }
        let successors = Set(
            successor.root.hierarchy.filter { !$0.isAbstract }.map { later.layout(of: $0).number })
        guard table.hasDiscriminator == successor.hasDiscriminator,
            successors.isSuperset(of: entities)
        else { return false }
        let stays = table.columns.allSatisfy { column in
            successor.dropped.contains { $0.number == column.number }
                || successor.columns.contains { next in
                    next.isSuccessor(of: column)
                        && entitiesWith(column, among: entities)
                            == later.entitiesWith(next, among: entities)
                        && viewRule(of: column, in: table)
                            == later.viewRule(of: next, in: successor)
                }
        }
        return stays && successor.addsOnlyColumns(to: table)
            && keepsDropped(of: table, successor, in: later, entities: entities)
    }

    /// Returns true if a later version's table has the columns of all dropped properties, and shows
    /// nothing of their values, except references as links.
    private func keepsDropped(
        of table: TableLayout, _ successor: TableLayout, in later: StoreSchema, entities: [Int64]
    ) -> Bool {
        guard !table.dropped.isEmpty || !successor.dropped.isEmpty else { return true }
        // `now()` is the time of the last save that wrote a property of the model.
        let showsTimes = successor.root.hierarchy.contains { entity in
            entity.derivedAttributes.contains { $0.derivation == .now }
        }
        let kept = Set(successor.dropped.map(\.number))
        return !showsTimes && kept.isSuperset(of: table.dropped.map(\.number))
            && successor.dropped.allSatisfy { column in
                let former =
                    table.dropped.first { $0.number == column.number }?.entity
                    ?? table.columns.first { $0.number == column.number }?.property.entity
                return later.showsOnlyLinks(of: column, in: successor)
                    && former.map { entitiesKind(of: $0, among: entities) }
                        == later.entitiesKind(of: column.entity, among: entities)
            }
    }

    /// Returns true if no property of a table has the wire name of a dropped column, or if links
    /// show its references.
    private func showsOnlyLinks(of dropped: DroppedColumn, in table: TableLayout) -> Bool {
        table.root.hierarchy.allSatisfy { entity in
            entity.slots.allSatisfy { $0.wireProperty.name != dropped.wire.name }
                || layout(of: entity).droppedReferencesShownAsLinks
                    .contains { $0.number == dropped.number }
        }
    }

    /// The numbers of the entities that have a column.
    private func entitiesWith(_ column: TableLayout.Column, among entities: [Int64]) -> Set<Int64> {
        entitiesKind(of: column.property.entity, among: entities)
    }

    /// The numbers of those of some entities that are an entity or inherit from it.
    private func entitiesKind(of entity: EntityDescription, among entities: [Int64]) -> Set<Int64> {
        Set(layouts.filter { $0.entity.isKind(of: entity) }.map(\.number)).intersection(entities)
    }

    /// The rules by which a reference shows something else than it holds.
    private func viewRule(of column: TableLayout.Column, in table: TableLayout) -> [Int64]? {
        table.viewRuleColumns.first { $0.column === column }.map {
            [
                $0.isExclusive ? 1 : $0.isMutual ? 2 : 0, $0.isAcyclic ? 1 : 0,
                $0.isRedirectable ? 1 : 0,
                layout(of: $0.destination).number,
            ]
        }
    }
}

extension TableLayout {
    /// Returns true if SQLite can add the columns that an earlier table lacks. It can't add one
    /// with an expression as its default. A new member of a group changes the group's value.
    fileprivate func addsOnlyColumns(to former: TableLayout) -> Bool {
        let numbers = Set(former.columns.map(\.number))
        return columns.allSatisfy { column in
            former.columns.contains { column.isSuccessor(of: $0) }
                || !numbers.contains(column.number) && !column.definition.contains("DEFAULT (")
        }
    }
}

extension TableLayout.Column {
    /// Returns true if the column holds the same values as one of an earlier version, in the same
    /// form.
    fileprivate func isSuccessor(of former: TableLayout.Column) -> Bool {
        number == former.number && property.wireProperty == former.property.wireProperty
            && kind == former.kind && (position == nil) == (former.position == nil)
            && definition.dropFirst(name.count) == former.definition.dropFirst(former.name.count)
            && groupMember == former.groupMember && groupMembers == former.groupMembers
            && groupDefaults == former.groupDefaults
    }

    private var groupDefaults: GroupDefaults? {
        (property.attribute?.group?.defaults).flatMap { $0.isNeeded ? $0 : nil }
    }

    private var groupMembers: [WireName]? {
        property.attribute?.group?.members.map(\.name)
    }

    private var groupMember: WireName? {
        property.attribute?.group?.members.first { .attribute($0.attribute) == property }?.name
    }
}

extension TableLayout {
    /// True if the column of a property is NULL in a row of an entity that has it.
    fileprivate func hasNull(
        _ property: Property, in schema: StoreSchema, _ connection: Connection
    ) throws -> Bool {
        let restriction = schema.restriction(to: property.entity, alias: "t", after: "AND")
        return try connection.firstValue(
            """
            SELECT 1 FROM \(name) t WHERE t.\(property.column.name) IS NULL \(restriction) LIMIT 1
            """) != nil
    }
}
