import AnabranchReplication
import AnabranchSQLite

/// The deferred cells of a record that are read.
///
/// A record may have any number of cells. So code that needs one property reads only that: the
/// primary key of the table finds it.
enum CellSelection {
    case all
    /// The cells of all properties with a wire name: of a property and of its former ones.
    case named(WireName)
    case of(WireProperty)

    /// The condition of SQL, with the parameters that `bind(_:of:)` binds.
    var condition: String {
        switch self {
        case .all: "record = ?"
        case .named: "record = ? AND name = ?"
        case .of: "record = ? AND name = ? AND type = ? AND rule = ?"
        }
    }

    func includes(_ property: WireProperty) -> Bool {
        switch self {
        case .all: true
        case .named(let name): property.name == name
        case .of(let selected): property == selected
        }
    }
}

extension Statement {
    /// Binds the parameters of a selection's condition, which are the first ones.
    func bind(_ selection: CellSelection, of id: LocalID) throws {
        try bind(id, at: 1)
        switch selection {
        case .all: break
        case .named(let name): try bind(name.string, at: 2)
        case .of(let property):
            try bind(property.name.string, at: 2)
            try bind(Int64(property.type.rawValue), at: 3)
            try bind(Int64(property.rule.rawValue), at: 4)
        }
    }
}

extension StoreSchema {
    /// True if selected cells may be in dropped columns.
    func hasDropped(_ selection: CellSelection) -> Bool {
        tablesWithDropped.contains { table in
            table.dropped.contains { selection.includes($0.wire) }
        }
    }
}
