import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension TableLayout {
    /// The statement that creates the table.
    ///
    /// There is no UNIQUE, NOT NULL, CHECK or REFERENCES. The model is checked when a context
    /// saves, but not when a remote change is applied. Two replicas may each have saved validly,
    /// and applying both must not fail.
    var creation: String {
        var definitions = ["ab_pk INTEGER PRIMARY KEY"]
        if hasDiscriminator { definitions.append("ab_entity INTEGER") }
        definitions.append("ab_version INTEGER")
        definitions += columns.map(\.definition)
        definitions += columns.compactMap(\.position).map { "\($0) BLOB" }
        // This column is last, so that a reader that does not need it does not decode it.
        definitions.append("ab_writes BLOB")
        return "CREATE TABLE \(name) (\(definitions.joined(separator: ", ")))"
    }

    func indexes(names: inout UniqueNames) -> [TableIndex] {
        var made: [TableIndex] = []
        func add(_ title: String, _ terms: [String]) {
            made.append(
                TableIndex(SQL.quoted(names.take("\(plainName)_\(title)")), on: name, terms))
        }
        for column in columns where column.kind == .reference {
            guard column.property.relationship?.inverse != nil else { continue }
            add(column.property.name, column.names)
        }
        for entity in root.hierarchy {
            for constraint in entity.ownUniquenessConstraints {
                let terms = constraint.compactMap { term(for: .attribute($0)) }
                add("unique_" + constraint.map(\.name).joined(separator: "_"), terms)
            }
            for index in entity.indexes {
                let terms = index.elements.compactMap { element in
                    term(for: element.property).map { $0 + (element.isAscending ? "" : " DESC") }
                }
                if !terms.isEmpty { add(index.name, terms) }
            }
        }
        return made
    }

    /// The term of an index; `nil` for a property that the table does not store.
    func term(for property: PropertyDescription) -> String? {
        columns.first { $0.property == property }.map { $0.name + $0.kind.collation }
    }
}

extension LinkLayout {
    /// The statement that creates the table.
    var creation: String {
        let positions = isList ? "left_position BLOB, right_position BLOB," : ""
        return """
            CREATE TABLE \(name) (left INTEGER, right INTEGER, tag INTEGER, tag_by INTEGER,
            more BLOB, \(positions) PRIMARY KEY (left, right)) WITHOUT ROWID
            """
    }

    func indexes(names: inout UniqueNames) -> [TableIndex] {
        let ends = TableIndex(
            SQL.quoted(names.take("\(plainName)_right")), on: name, ["right", "left"])
        return [ends] + (isList ? orders(names: &names) : [])
    }

    /// The indexes that find the end of a list without reading the whole list.
    private func orders(names: inout UniqueNames) -> [TableIndex] {
        [(relationship, "left"), (relationship.inverse, "right")].compactMap { side, end in
            guard side?.isOrdered == true else { return nil }
            return TableIndex(
                SQL.quoted(names.take("\(plainName)_\(end)_position")), on: name,
                [end, "\(end)_position"])
        }
    }
}
