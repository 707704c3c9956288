import Anabranch

/// The entities of a model and their relationships in DOT, the language of Graphviz.
///
/// A node is an entity with the properties that it declares itself. An edge is a relationship with
/// its inverse, and the edge's tooltip names both: one tip means one object, two tips mean many. A
/// hollow tip points to the entity from which another one inherits. Equal models give equal texts.
struct ModelGraph {
    let model: ManagedObjectModel

    func dot(title: String) -> String {
        var lines = [
            "digraph \(quoted(title)) {",
            "  graph [bgcolor=transparent, ranksep=0.8, tooltip=\(quoted(title))]",
            "  node [shape=record, style=\"rounded,filled\", fillcolor=\"#f0f4f8\","
                + " color=\"#486581\", fontname=monospace, fontsize=12]",
            "  edge [color=\"#2f6fb0\"]",
        ]
        lines += model.entities.map(node)
        lines += model.entities.compactMap { entity in
            entity.superentity.map { parent in
                edge(
                    parent, entity, tail: "empty", head: "none",
                    title: "\(entity.name) inherits from \(parent.name)")
            }
        }
        for entity in model.entities {
            lines += entity.relationships.filter { $0.entity == entity && isFirst($0) }.map(edge)
        }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    private func node(_ entity: EntityDescription) -> String {
        let attributes = entity.attributes.filter { $0.entity == entity }.map {
            "\($0.name): \($0.type)\($0.isOptional ? "?" : "")"
        }
        let relationships = entity.relationships.filter { $0.entity == entity }.map {
            let name = $0.destination.name
            return "\($0.name): " + ($0.isToMany ? "[\(name)]" : name + ($0.isOptional ? "?" : ""))
        }
        let name = entity.isAbstract ? "(\(entity.name))" : entity.name
        let parts = [attributes, relationships].filter { !$0.isEmpty }.map { rows in
            rows.map { Self.field($0) + "\\l" }.joined()
        }
        let label = "{" + ([Self.field(name)] + parts).joined(separator: "|") + "}"
        return "  \(quoted(entity.name)) [label=\"\(label)\", tooltip=\(quoted(entity.name))]"
    }

    /// Returns true for the one of two inverses from which the edge is drawn: a to-many, so that
    /// it is above its objects.
    private func isFirst(_ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse, inverse != relationship else { return true }
        if relationship.isToMany != inverse.isToMany { return relationship.isToMany }
        return (relationship.entity.index, relationship.slot)
            < (inverse.entity.index, inverse.slot)
    }

    private func edge(_ relationship: RelationshipDescription) -> String {
        func tip(_ relationship: RelationshipDescription?) -> String {
            relationship.map { $0.isToMany ? "normalnormal" : "normal" } ?? "none"
        }
        let inverse = relationship.inverse
        let other = inverse.flatMap { $0 == relationship ? nil : " – \($0)" } ?? ""
        return edge(
            relationship.entity, relationship.destination, tail: tip(inverse),
            head: tip(relationship), title: "\(relationship)\(other)")
    }

    private func edge(
        _ upper: EntityDescription, _ lower: EntityDescription, tail: String, head: String,
        title: String
    ) -> String {
        "  \(quoted(upper.name)) -> \(quoted(lower.name)) [dir=both, arrowtail=\(tail), "
            + "arrowhead=\(head), edgetooltip=\(quoted(title))]"
    }

    /// A text as a string of DOT. Control characters are shown by their pictures.
    private func quoted(_ text: String) -> String {
        "\"" + Self.escaped(text, "\"\\") + "\""
    }

    /// A text as one field of a record's label.
    private static func field(_ text: String) -> String {
        escaped(text, "\"\\{}|<> ")
    }

    private static func escaped(_ text: String, _ special: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if special.unicodeScalars.contains(scalar) { escaped.append("\\") }
            let picture = scalar.value < 0x20 ? Unicode.Scalar(0x2400 + scalar.value) : nil
            escaped.append(picture ?? scalar)
        }
        return String(escaped)
    }
}
