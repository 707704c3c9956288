import AnabranchModel
import AnabranchSQLite
import AnabranchStore

/// The rows that a source has, by table and primary key.
///
/// A reference names a table by its relationship and a row by its primary key. So the entity of
/// every row is kept in memory, in two bytes as long as the keys are dense.
struct SourceRows {
    private enum Keys {
        case dense([UInt16])
        case sparse([Int64: UInt16])
    }

    private static let none = UInt16.max
    private var tables: [Keys] = []
    /// The number of rows of each entity, by its position in the layout.
    private(set) var counts: [Int]

    /// Reads the keys of all rows.
    ///
    /// - Throws: ``ConversionError`` with code `corrupt` if a key is no possible one.
    init(
        _ file: CoreDataFile, _ layout: SourceLayout, _ names: ConvertedSource, _ doubts: DoubtList
    ) throws {
        counts = Array(repeating: 0, count: layout.entities.count)
        for position in layout.roots.indices {
            try Self.checkKeys(ofTable: position, file, layout, names)
        }
        for position in layout.roots.indices {
            tables.append(try read(position, file, layout, doubts))
        }
    }

    private static func checkKeys(
        ofTable position: Int, _ file: CoreDataFile, _ layout: SourceLayout,
        _ names: ConvertedSource
    ) throws {
        let table = layout.roots[position].table
        for bound in ["min", "max"] {
            let sql = "SELECT \(bound)(Z_PK) FROM \(table.quotedName)"
            guard case .integer(let key)? = try file.connection.firstValue(sql),
                names.number(ofKey: key, inTable: position) == nil
            else { continue }
            throw ConversionError(
                .corrupt, path: file.files.path,
                "Can't convert \(file.files.path) because \(key) is no primary key that a row of "
                    + "\(table.name) can have.")
        }
    }

    /// The position of the entity of a row; `nil` without such a row.
    func entity(ofKey key: Int64, inTable table: Int) -> Int? {
        switch tables[table] {
        case .dense(let entities):
            guard key > 0, key < entities.count else { return nil }
            let entity = entities[Int(key)]
            return entity == Self.none ? nil : Int(entity)
        case .sparse(let entities): return entities[key].map(Int.init)
        }
    }

    private mutating func read(
        _ position: Int, _ file: CoreDataFile, _ layout: SourceLayout, _ doubts: DoubtList
    ) throws -> Keys {
        let table = layout.roots[position].table.quotedName
        let bounds =
            try file.connection.rows(
                "SELECT count(*), max(Z_PK), min(Z_PK) FROM \(table)"
            ).first ?? []
        guard case .integer(let count)? = bounds.first, count > 0,
            case .integer(let greatest) = bounds[1], case .integer(let least) = bounds[2]
        else { return .dense([]) }
        let isDense = least > 0 && greatest / 8 <= count + 1024
        var dense = [UInt16](repeating: Self.none, count: isDense ? Int(greatest) + 1 : 0)
        var sparse: [Int64: UInt16] = [:]
        let entities = numbers(ofTable: position, layout)
        let root = layout.entities.firstIndex {
            $0.table == position && $0.entity.name == layout.roots[position].name
                && !$0.entity.isAbstract
        }
        let own = Set(
            file.numbers.values.filter { file.root(of: $0) == layout.roots[position].number })
        let statement = try file.connection.prepare("SELECT Z_PK, Z_ENT FROM \(table)")
        var unknown: [Int64: Int] = [:]
        while try statement.step() {
            let (key, number) = (statement.int64(at: 0), statement.int64(at: 1))
            let isForeign = entities[number] == nil && !own.contains(number)
            if isForeign || entities[number] == nil { unknown[number, default: 0] += 1 }
            guard let entity = entities[number] ?? (isForeign ? root : nil) else { continue }
            counts[entity] += 1
            if isDense { dense[Int(key)] = UInt16(entity) } else { sparse[key] = UInt16(entity) }
        }
        for (number, count) in unknown.sorted(by: { $0.key < $1.key }) {
            let isKept = root != nil && !own.contains(number)
            doubts.add(
                entity: layout.roots[position].name,
                found: "\(count) rows of the entity number \(number)",
                stored: isKept ? "objects of \(layout.roots[position].name)" : "no objects")
        }
        return isDense ? .dense(dense) : .sparse(sparse)
    }

    /// The positions of the entities that can have rows in a table, by their numbers.
    private func numbers(ofTable position: Int, _ layout: SourceLayout) -> [Int64: Int] {
        var numbers: [Int64: Int] = [:]
        for (index, source) in layout.entities.enumerated()
        where source.table == position && !source.entity.isAbstract {
            numbers[source.number] = index
        }
        return numbers
    }
}
