import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension TableLayout {
    /// The statements that create the table and its indexes.
    ///
    /// There is no UNIQUE, NOT NULL, CHECK or REFERENCES. The model is checked when a context
    /// saves, but not when a remote change is applied. Two replicas may each have saved validly,
    /// and applying both must not fail.
    func creation(indexNames: inout UniqueNames) -> [String] {
        var definitions = ["ab_pk INTEGER PRIMARY KEY"]
        if hasDiscriminator { definitions.append("ab_entity INTEGER") }
        definitions.append("ab_version INTEGER")
        definitions += columns.map { column in
            column.kind.declaration.isEmpty
                ? column.name : "\(column.name) \(column.kind.declaration)"
        }
        definitions += columns.compactMap(\.position).map { "\($0) BLOB" }
        // This column is last, so that a reader that does not need it does not decode it.
        definitions.append("ab_writes BLOB")
        let table = "CREATE TABLE \(name) (\(definitions.joined(separator: ", ")))"
        return [table] + indexes(names: &indexNames)
    }

    private func indexes(names: inout UniqueNames) -> [String] {
        var made: [String] = []
        func add(_ title: String, _ terms: [String]) {
            let index = SQL.quoted(names.take("\(plainName)_\(title)"))
            made.append("CREATE INDEX \(index) ON \(name) (\(terms.joined(separator: ", ")))")
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

    private func term(for property: PropertyDescription) -> String? {
        columns.first { $0.property == property }.map { $0.name + $0.kind.collation }
    }
}

extension LinkLayout {
    func creation(indexNames: inout UniqueNames) -> [String] {
        let index = SQL.quoted(indexNames.take("\(plainName)_right"))
        let positions = isList ? "left_position BLOB, right_position BLOB," : ""
        let table = """
            CREATE TABLE \(name) (left INTEGER, right INTEGER, tag INTEGER, tag_by INTEGER,
            more BLOB, \(positions) PRIMARY KEY (left, right)) WITHOUT ROWID
            """
        return [table, "CREATE INDEX \(index) ON \(name) (right, left)"]
            + (isList ? orders(indexNames: &indexNames) : [])
    }

    /// Creates the indexes that find the end of a list without reading the whole list.
    private func orders(indexNames: inout UniqueNames) -> [String] {
        [(relationship, "left"), (relationship.inverse, "right")].compactMap { side, end in
            guard side?.isOrdered == true else { return nil }
            let index = SQL.quoted(indexNames.take("\(plainName)_\(end)_position"))
            return "CREATE INDEX \(index) ON \(name) (\(end), \(end)_position)"
        }
    }
}
