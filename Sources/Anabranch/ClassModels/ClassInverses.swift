import AnabranchModel

/// Finds the inverse of every relationship that classes declare.
///
/// It is enough that one of two inverses names the other one. If two classes have relationships to
/// each other and neither names an inverse, they are refused: the model can't tell whether these
/// are inverses.
struct ClassInverses {
    /// A relationship by the position of its class, and its position among the relationships of the
    /// class.
    private struct Place: Hashable {
        let entity: Int
        let index: Int
    }

    private let classes: ClassEntities
    private var destinations: [Place: Int] = [:]
    private var inverses: [Place: Place] = [:]
    private(set) var problems: [ModelError] = []

    init(_ classes: ClassEntities) {
        self.classes = classes
    }

    /// The relationships of a class, with the names of their destinations and inverses.
    func relationships(of entity: Int) -> [RelationshipDeclaration] {
        classes.declarations[entity].relationships.enumerated().map { index, declared in
            let place = Place(entity: entity, index: index)
            var relationship = declared.relationship
            relationship.destination =
                destinations[place].map { classes.declarations[$0].entity.name } ?? ""
            relationship.inverse = inverses[place].map { self[$0].name }
            return relationship
        }
    }

    mutating func resolve() {
        let places = classes.declarations.enumerated().flatMap { entity, declaration in
            declaration.relationships.indices.map { Place(entity: entity, index: $0) }
        }
        for place in places { resolveDestination(of: place) }
        for place in places { resolveInverse(of: place) }
        // A relationship with a wrong destination or inverse has its error already.
        guard problems.isEmpty else { return }
        for place in places { checkUnstated(place, among: places) }
    }

    private subscript(place: Place) -> ClassDeclaration.ClassRelationship {
        classes.declarations[place.entity].relationships[place.index]
    }

    private func path(_ place: Place) -> String {
        classes.declarations[place.entity].path(self[place].name)
    }

    private mutating func refuse(_ code: ModelError.Code, _ place: Place, because cause: String) {
        problems.append(
            ModelError(
                code, entity: classes.declarations[place.entity].entity.name,
                property: self[place].name, "Can't use \(path(place)) because \(cause)."))
    }

    private mutating func resolveDestination(of place: Place) {
        let destination = self[place].destination
        if let position = classes.positions[ObjectIdentifier(destination)] {
            destinations[place] = position
        } else {
            refuse(
                .unknownEntity, place,
                because: "\(destination), the class at its other end, is not among the classes; "
                    + "pass \(destination).self too")
        }
    }

    private mutating func resolveInverse(of place: Place) {
        guard case .property(let name, let root) = self[place].inverse.form,
            let destination = destinations[place]
        else { return }
        let lineage = classes.lineage(of: destination)
        let type = classes.declarations[destination].type
        if let root, !lineage.contains(where: { classes.declarations[$0].type == root }) {
            return refuse(
                .inverseMismatch, place,
                because: "its inverse is a property of \(root), but its other end is \(type); "
                    + "write 'inverse: \\\(type).\(name)'")
        }
        guard let other = find(name, in: lineage) else {
            return refuse(
                .unknownProperty, place,
                because: "\(type) has no relationship '\(name)' that could be its inverse")
        }
        guard leads(other, to: place.entity) else {
            return refuse(
                .inverseMismatch, place,
                because: "its inverse \(path(other)) does not point back to "
                    + "\(classes.declarations[place.entity].type)")
        }
        connect(place, other)
    }

    private func find(_ name: String, in lineage: [Int]) -> Place? {
        for entity in lineage {
            let relationships = classes.declarations[entity].relationships
            if let index = relationships.firstIndex(where: { $0.name == name }) {
                return Place(entity: entity, index: index)
            }
        }
        return nil
    }

    /// Returns true if a relationship's destination is the entity or one below it.
    private func leads(_ place: Place, to entity: Int) -> Bool {
        destinations[place].map { classes.lineage(of: $0).contains(entity) } ?? false
    }

    private mutating func connect(_ place: Place, _ other: Place) {
        if case .nothing = self[other].inverse.form {
            return refuse(
                .inverseMismatch, place,
                because: "\(path(other)), its inverse, says that it has none; remove one of the "
                    + "two 'inverse:'")
        }
        if let taken = inverses[other] ?? namedInverse(of: other), taken != place {
            return refuse(
                .inverseMismatch, place,
                because: "\(path(other)) has the inverse \(path(taken)) already; two relationships "
                    + "can't have one inverse")
        }
        inverses[place] = other
        inverses[other] = place
    }

    /// The relationship that a relationship names itself as its inverse.
    private func namedInverse(of place: Place) -> Place? {
        guard case .property(let name, _) = self[place].inverse.form,
            let destination = destinations[place]
        else { return nil }
        return find(name, in: classes.lineage(of: destination))
    }

    /// Refuses a relationship without an inverse if one is there that could be it.
    private mutating func checkUnstated(_ place: Place, among places: [Place]) {
        guard isUnstated(place), let destination = destinations[place] else { return }
        let lineage = classes.lineage(of: destination)
        let candidates = places.filter { other in
            isUnstated(other) && lineage.contains(other.entity) && leads(other, to: place.entity)
        }
        guard let first = candidates.first else { return }
        let names = candidates.map(path).joined(separator: ", ")
        // The compiler can't resolve a key path in the mark of the same property.
        let inverse = first == place ? "\"\(self[place].name)\"" : "\\\(path(first))"
        refuse(
            .inverseMismatch, place,
            because: "\(names) could be its inverse and neither says so; write "
                + "'@Relationship(inverse: \(inverse))' at one of the two, or "
                + "'@Relationship(inverse: nil)' if they are independent")
    }

    private func isUnstated(_ place: Place) -> Bool {
        if inverses[place] != nil { return false }
        if case .unstated = self[place].inverse.form { return true }
        return false
    }
}
