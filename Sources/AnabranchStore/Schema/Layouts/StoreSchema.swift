package import AnabranchModel
import AnabranchReplication
import Synchronization

/// The tables and columns of one file for the entities and properties of a model.
package final class StoreSchema: Sendable {
    package let model: ManagedObjectModel
    package let tables: [TableLayout]
    package let linkLayouts: [LinkLayout]
    /// The tables without those of entities that are kept in this store only.
    let syncedTables: [TableLayout]
    let syncedLinkLayouts: [LinkLayout]
    /// Statements that together find the IDs between two of records in synced tables.
    let syncedRecordSearches: [String]
    /// The tables with columns of dropped attributes.
    let tablesWithDropped: [TableLayout]
    /// True if a table has the column of a dropped to-one.
    let hasDroppedReferences: Bool
    /// The entity layouts by the index of the entity in the model.
    package let layouts: [EntityLayout]
    /// The uniqueness constraints in the order of the model.
    let constraints: [UniqueConstraint]
    /// True if a view rule can apply to records of some entity.
    let hasViewRules: Bool
    /// The properties on which derived attributes depend.
    let dependencies: DerivedDependencies
    private let linksByProperty: [LinkKey: LinkLayout]
    private let entitiesByNumber: [Int64: EntityDescription]
    /// The selections that were asked for, by the index of the entity in the model.
    private let rowSelections: Mutex<[RowSelection?]>
    /// The SELECTs of related objects that were asked for.
    private let relatedSelects: Mutex<[RelatedForm: SelectByID?]> = Mutex([:])
    /// The fetches that were made with this schema.
    let fetches = KnownFetches()

    private struct LinkKey: Hashable {
        let entity: WireName
        let property: WireProperty
    }

    /// Creates the layout of a model.
    ///
    /// - Parameter numbers: The numbers that the file has assigned permanently.
    init(_ model: ManagedObjectModel, numbers: SchemaNumbers) {
        self.model = model
        rowSelections = Mutex(Array(repeating: nil, count: model.entities.count))
        var names = UniqueNames(taken: ["sqlite_master", "sqlite_schema", "sqlite_sequence"])
        let tables = model.entities.filter { $0.superentity == nil }.map { root in
            TableLayout(
                root: root, plainName: names.take(Self.tableName(root.name)),
                numbers: numbers)
        }
        self.tables = tables
        syncedTables = tables.filter(\.isSynced)
        syncedRecordSearches = Self.recordSearches(tables.filter(\.isSynced))
        tablesWithDropped = tables.filter { !$0.dropped.isEmpty }
        hasDroppedReferences = tables.contains { $0.dropped.contains { $0.kind == .reference } }
        let links = model.entities.flatMap(Self.ownStoredLinks).map { relationship in
            LinkLayout(
                relationship,
                plainName: names.take(
                    Self.tableName("\(relationship.entity.name)_\(relationship.name)")))
        }
        linkLayouts = links
        syncedLinkLayouts = links.filter(\.leftEntity.isSynced)
        dependencies = DerivedDependencies(model)
        let constraints = Self.constraints(of: model, tables: tables)
        self.constraints = constraints
        layouts = model.entities.map { entity in
            EntityLayout(
                entity, table: tables.first { $0.root == entity.root } ?? tables[0],
                number: numbers.number(of: entity), links: links,
                constraints: constraints.filter { entity.isKind(of: $0.owner) })
        }
        hasViewRules = layouts.contains(where: \.hasViewRules)
        linksByProperty = Dictionary(
            links.map {
                (
                    LinkKey(
                        entity: $0.leftEntity.wireName, property: $0.relationship.wireProperty), $0
                )
            }, uniquingKeysWith: { first, _ in first })
        entitiesByNumber = Dictionary(
            layouts.map { ($0.number, $0.entity) }, uniquingKeysWith: { first, _ in first })
    }

    /// The number of tables that one statement searches, which SQLite limits to 500.
    private static let tablesOfSearch = 100

    static func recordSearches(_ tables: [TableLayout]) -> [String] {
        stride(from: 0, to: tables.count, by: tablesOfSearch).map { start in
            tables[start...].prefix(tablesOfSearch)
                .map { "SELECT ab_pk FROM \($0.name) WHERE ab_pk BETWEEN ?1 AND ?2" }
                .joined(separator: " UNION ALL ")
        }
    }

    /// Adds a suffix to a name that SQLite or the core tables reserve.
    private static func tableName(_ name: String) -> String {
        let lowercased = name.lowercased()
        return lowercased.hasPrefix("sqlite_") || lowercased.hasPrefix("ab_") ? name + "_" : name
    }

    private static func ownStoredLinks(_ entity: EntityDescription) -> [RelationshipDescription] {
        entity.relationships.filter { relationship in
            guard relationship.entity == entity else { return false }
            return relationship.storage == .links(.left) || relationship.storage == .links(.both)
        }
    }

    private static func constraints(
        of model: ManagedObjectModel, tables: [TableLayout]
    ) -> [UniqueConstraint] {
        let all = model.entities.flatMap { entity in
            entity.ownUniquenessConstraints.map { (entity: entity, attributes: $0) }
        }
        return all.enumerated().compactMap { number, constraint in
            tables.first { $0.root == constraint.entity.root }.flatMap {
                UniqueConstraint(constraint.attributes, of: constraint.entity, number: number, $0)
            }
        }
    }

    package func layout(of entity: EntityDescription) -> EntityLayout { layouts[entity.index] }

    /// The columns of whole rows of an entity and its sub-entities.
    package func rowSelection(of entity: EntityDescription) -> RowSelection {
        rowSelections.withLock { selections in
            if let known = selections[entity.index] { return known }
            let selection = RowSelection(entity, in: self)
            selections[entity.index] = selection
            return selection
        }
    }

    /// The SELECT of related objects, which is written once; `nil` if no table has them.
    func relatedSelect(_ form: RelatedForm) -> SelectByID? {
        if let known = relatedSelects.withLock({ $0[form] }) { return known }
        let select = form.select(in: self)
        relatedSelects.withLock { $0[form] = .some(select) }
        return select
    }

    /// A condition that excludes rows of other branches of the hierarchy; empty if there are none.
    func restriction(to entity: EntityDescription, alias: String, after keyword: String) -> String {
        let layout = layout(of: entity)
        guard layout.table.hasDiscriminator, entity.superentity != nil else { return "" }
        let numbers = entity.hierarchy.map { "\(self.layout(of: $0).number)" }
        return "\(keyword) \(alias).ab_entity IN (\(numbers.joined(separator: ", ")))"
    }

    package func entity(numbered number: Int64) -> EntityDescription? { entitiesByNumber[number] }

    /// The link table of a wire property that a block names; a super-entity may declare the
    /// property.
    func links(of entity: EntityDescription, property: WireProperty) -> LinkLayout? {
        var next: EntityDescription? = entity
        while let current = next {
            let key = LinkKey(entity: current.wireName, property: property)
            if let found = linksByProperty[key] { return found }
            next = current.superentity
        }
        return nil
    }

    /// The link table that stores a relationship, whichever side it is.
    package func links(of relationship: RelationshipDescription) -> LinkLayout? {
        let stored = relationship.storedSide
        return linkLayouts.first { $0.relationship == stored }
    }
}

/// The numbers that a file has assigned: to entities for the discriminator, and to properties for
/// `ab_writes`.
struct SchemaNumbers: Sendable {
    var entities: [WireName: Int64] = [:]
    /// The property numbers by the number of the root entity. If two entities beside each other
    /// have the same wire property, the second one's number is found by its own entity's number.
    var properties: [Int64: [WireProperty: Int]] = [:]
    /// The last position of the log when a property was added without writing the rows, by the
    /// number of the root entity and the number of the property.
    var additions: [Int64: [Int: Int64]] = [:]
    /// The properties that were dropped without writing the rows, by the number of the root entity
    /// and the number of the property.
    var dropped: [Int64: [Int: DroppedProperty]] = [:]

    func number(of entity: EntityDescription) -> Int64 { entities[entity.wireName] ?? 0 }

    /// The properties that were added to the table of a root entity.
    func additions(to root: EntityDescription) -> AddedProperties {
        AddedProperties(additions[number(of: root)] ?? [:])
    }

    /// Records that properties were added to tables with rows.
    ///
    /// - Parameters:
    ///   - properties: The numbers of the properties by the number of the root entity.
    ///   - position: The last position of the log.
    mutating func add(_ properties: [Int64: Set<Int>], at position: Int64) {
        for (entity, numbers) in properties {
            for number in numbers { additions[entity, default: [:]][number] = position }
        }
    }

    /// The number of a stored property, which no other property of its table has.
    func number(of property: PropertyDescription) -> Int { knownNumber(of: property) ?? 0 }

    private func knownNumber(of property: PropertyDescription) -> Int? {
        let wire = property.wireProperty
        return properties[number(of: property.entity)]?[wire]
            ?? properties[number(of: property.entity.root)]?[wire]
    }

    /// An entity or a stored property of a model that has no number.
    func unnumbered(in model: ManagedObjectModel) -> String? {
        if let entity = model.entities.first(where: { entities[$0.wireName] == nil }) {
            return "entity '\(entity.name)'"
        }
        return model.entities.lazy.filter { $0.superentity == nil }
            .flatMap(TableLayout.storedProperties).first { knownNumber(of: $0) == nil }
            .map { "property '\($0.name)' of entity '\($0.entity.name)'" }
    }
}
