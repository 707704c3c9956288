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

    /// The statement that reads the cells, with the parameters that `bind(_:of:)` binds.
    var statement: String {
        switch self {
        case .all: Self.ofRecord
        case .named: Self.ofName
        case .of: Self.ofProperty
        }
    }

    // A statement is run for each record, so its text is made once.
    private static let ofRecord = "\(columns) FROM ab_deferred_cell WHERE record = ?"
    private static let ofName = "\(columns) FROM ab_deferred_cell WHERE record = ? AND name = ?"
    private static let ofProperty = "\(columns) \(fromProperty)"
    static let columns = "SELECT name, type, rule, value, hlc, by"
    /// The end of a statement about the cells of one property.
    static let fromProperty =
        "FROM ab_deferred_cell WHERE record = ? AND name = ? AND type = ? AND rule = ?"

    func includes(_ property: WireProperty) -> Bool {
        switch self {
        case .all: true
        case .named(let name): property.name == name
        case .of(let selected): property == selected
        }
    }
}

extension Statement {
    /// Binds the parameters of a selection, which are the first ones.
    func bind(_ selection: CellSelection, of id: LocalID) throws {
        switch selection {
        case .all: try bind(id)
        case .named(let name): try bind(id, name.string)
        case .of(let property): try bind(id, property.columns)
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
