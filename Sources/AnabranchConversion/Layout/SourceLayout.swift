import AnabranchModel
import AnabranchSQLite

/// The place of every entity and property of a model in a source.
///
/// Every root entity of the source has a table, named as the entity in capitals after a Z. A
/// property's column is named in the same way.
struct SourceLayout {
    /// The table of a root entity with its whole hierarchy.
    struct Root {
        let name: String
        let number: Int64
        let table: SourceTable
    }

    /// An entity with a number in the source and a description in the model.
    struct SourceEntity {
        let entity: EntityDescription
        let number: Int64
        /// The position of the table among all.
        let table: Int
        /// The condition in SQL that the entity's rows satisfy; `Z_ENT` has no table's name.
        let condition: String
        /// The columns of attributes and to-one relationships, by slot.
        fileprivate(set) var columns: [Int: String] = [:]
    }

    private(set) var roots: [Root] = []
    /// The entities in the order of their numbers, which has super-entities first.
    private(set) var entities: [SourceEntity] = []
    private(set) var joins: [JoinTable] = []
    let tables: [String: SourceTable]
    private var positions: [EntityDescription: Int] = [:]

    /// Finds the places.
    ///
    /// - Throws: ``ConversionError`` with code `otherModel` if the model has no entity of the
    /// source.
    init(_ file: CoreDataFile, _ model: ManagedObjectModel, _ doubts: DoubtList) throws {
        tables = try SourceTable.all(file.connection)
        let numbers = file.numbers.sorted { $0.value < $1.value }
        var rootPositions: [Int64: Int] = [:]
        for (name, number) in numbers where (file.parents[number] ?? 0) == 0 {
            guard let table = tables["Z" + name.uppercased()] else {
                doubts.add(entity: name, found: "no table", stored: "no objects")
                continue
            }
            rootPositions[number] = roots.count
            roots.append(Root(name: name, number: number, table: table))
        }
        for (name, number) in numbers {
            guard let position = rootPositions[file.root(of: number)] else { continue }
            guard let entity = model.entity(named: name) else {
                doubts.add(
                    entity: name, found: "an entity that the model lacks", stored: "no objects")
                continue
            }
            positions[entity] = entities.count
            let others = file.numbers.values.filter {
                $0 != number && file.root(of: $0) == file.root(of: number)
            }
            entities.append(
                SourceEntity(
                    entity: entity, number: number, table: position,
                    condition: Self.condition(
                        number, isRoot: file.root(of: number) == number, others: others.sorted())))
        }
        guard !entities.isEmpty else {
            throw ConversionError(
                .otherModel, path: file.files.path,
                "Can't convert \(file.files.path) because the model has none of its entities. "
                    + "Give the model of its app.")
        }
        for entity in model.entities where positions[entity] == nil {
            doubts.add(entity: entity.name, found: "no such entity", stored: "no objects")
        }
        let form = elementName()
        for position in roots.indices {
            try findColumns(ofTable: position, file, form, doubts)
        }
        joins = JoinTable.all(in: self, doubts)
    }

    /// The condition of an entity's rows.
    ///
    /// A row with a number that is none of its table's is taken for one of the root entity: sources
    /// with such rows exist, and their apps show them.
    private static func condition(_ number: Int64, isRoot: Bool, others: [Int64]) -> String {
        guard isRoot else { return "Z_ENT = \(number)" }
        let list = others.map { "\($0)" }.joined(separator: ", ")
        return "ifnull(Z_ENT, 0) NOT IN (\(list))"
    }

    subscript(entity: EntityDescription) -> SourceEntity? {
        positions[entity].map { entities[$0] }
    }

    /// The positions of the source's entities at or below an entity of the model.
    func hierarchy(of entity: EntityDescription) -> [Int] {
        entity.hierarchy.compactMap { positions[$0] }
    }
}

extension CoreDataFile {
    /// The number of the root above an entity; a cycle of damaged numbers ends somewhere in it.
    func root(of number: Int64) -> Int64 {
        var root = number
        for _ in 0..<parents.count {
            guard let parent = parents[root], parent != 0 else { break }
            root = parent
        }
        return root
    }
}

extension SourceLayout {
    /// A property with a column, and the entity that declares it.
    struct Declaration {
        let property: PropertyDescription
        let owner: EntityDescription

        var text: String { "\(owner.name).\(property.name)" }
    }

    /// The properties that the entities of a table declare with a column.
    func declarations(ofTable position: Int) -> [Declaration] {
        entities.filter { $0.table == position }.flatMap { source in
            source.entity.slots.filter { $0.entity == source.entity && $0.hasSourceColumn }
                .map { Declaration(property: $0, owner: source.entity) }
        }
    }

    private mutating func findColumns(
        ofTable position: Int, _ file: CoreDataFile, _ elementName: ElementName,
        _ doubts: DoubtList
    ) throws {
        let declared = Dictionary(
            grouping: declarations(ofTable: position), by: { elementName.column(of: $0.property) })
        let table = roots[position].table
        for (stem, declarations) in declared.sorted(by: { $0.key < $1.key }) {
            var candidates = table.columns(named: stem).filter { column in
                column.uppercased() == stem || declared[column.uppercased()] == nil
            }
            try checkElements(declarations, among: candidates, table, file)
            for declaration in declarations {
                let column = try column(
                    of: declaration, among: candidates, isOnly: declarations.count == 1, table,
                    file.connection)
                guard let column else {
                    try reportMissing(declaration, elementName, table, file, doubts)
                    continue
                }
                candidates.removeAll { $0 == column }
                for index in hierarchy(of: declaration.owner) {
                    entities[index].columns[declaration.property.slot] = column
                }
            }
        }
    }

    private func reportMissing(
        _ declaration: Declaration, _ elementName: ElementName, _ table: SourceTable,
        _ file: CoreDataFile, _ doubts: DoubtList
    ) throws {
        guard declaration.property.isReadFromSource else { return }
        if declaration.property.isElement {
            throw elementName.missing(declaration, table, file)
        }
        doubts.add(
            entity: declaration.owner.name, property: declaration.property.name,
            found: "no column", stored: "no values")
    }

    /// The first candidate that has no values in rows of other entities.
    private func column(
        of declaration: Declaration, among candidates: [String], isOnly: Bool,
        _ table: SourceTable, _ connection: Connection
    ) throws -> String? {
        if isOnly { return candidates.first }
        let numbers = hierarchy(of: declaration.owner).map { "\(entities[$0].number)" }
        for candidate in candidates {
            let other = try connection.firstValue(
                """
                SELECT 1 FROM \(table.quotedName) WHERE \(candidate.quotedForSQL) IS NOT NULL
                AND Z_ENT NOT IN (\(numbers.joined(separator: ", "))) LIMIT 1
                """)
            if other == nil { return candidate }
        }
        return candidates.first
    }
}

extension PropertyDescription {
    /// True if Core Data gives the property a column in its entity's table.
    var hasSourceColumn: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isTransient
        case .relationship(let relationship):
            !relationship.isToMany && !relationship.isTransient
        }
    }

    /// True if the store takes values from the column: derived values are computed again.
    fileprivate var isReadFromSource: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isDerived
        case .relationship: true
        }
    }
}
