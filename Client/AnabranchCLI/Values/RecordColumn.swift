import Anabranch
import Foundation

/// One column of output: a property of a record or of its related records (`country.name`).
struct RecordColumn {
    enum Content {
        case value(PropertyValue)
        case object(RecordLabel?)
        case values([PropertyValue])
        case objects([RecordLabel])
    }

    /// The path as it was typed.
    let name: String
    /// The names of the objects in JSON that contain the value, and its own name there.
    let memberPath: [String]
    /// The properties on the way; an element of a composite attribute is one of them.
    private let keys: [String]
    private let isPlural: Bool
    let isNumeric: Bool

    /// Resolves a path.
    ///
    /// - Throws: ``UsageError`` if the entity has no such property.
    init(_ path: String, of entity: EntityDescription, command: String) throws(UsageError) {
        name = path
        var parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[
            ...]
        var keys: [String] = []
        var current = entity
        var plural = false
        var numeric = false
        while var key = parts.popFirst() {
            while current.compositeAttribute(named: key) != nil, let next = parts.popFirst() {
                key += "." + next
            }
            keys.append(key)
            guard let property = current.property(named: key) else {
                throw EntityNames.unknown(key, of: current, command: command)
            }
            if let relationship = property.relationship {
                plural = plural || relationship.isToMany
                current = relationship.destination
            } else if !parts.isEmpty {
                throw UsageError(
                    "\(current.name).\(key) is an attribute, so nothing can follow it in "
                        + "'\(path)'.", command: command)
            } else {
                numeric = property.attribute?.type.isNumeric ?? false
            }
        }
        self.keys = keys
        let isOwnElement =
            keys.count == 1 && entity.property(named: path)?.attribute?.isElement == true
        memberPath = isOwnElement ? path.split(separator: ".").map(String.init) : [path]
        isPlural = plural
        isNumeric = numeric && !plural
    }

    func content(of object: ManagedObject) throws -> Content {
        var objects = [object]
        for key in keys.dropLast() {
            objects = try objects.flatMap { try related($0, key) }
        }
        guard let last = keys.last, let entity = objects.first?.entity,
            let property = entity.property(named: last)
        else { return isPlural ? .values([]) : .value(.null) }
        if property.attribute != nil {
            let values = try objects.map { try $0.value(forKey: last) }
            return isPlural ? .values(values) : .value(values.first ?? .null)
        }
        let ids = try objects.flatMap { try $0.objectIDs(forRelationshipNamed: last) }
        let labels = try ids.map { try RecordLabel($0) }
        return isPlural ? .objects(labels) : .object(labels.first)
    }

    private func related(_ object: ManagedObject, _ key: String) throws -> [ManagedObject] {
        guard let relationship = object.entity.property(named: key)?.relationship else { return [] }
        if relationship.isToMany { return try object.objects(forKey: key).objects }
        return try object.object(forKey: key).map { [$0] } ?? []
    }

    /// The columns of an entity without `--columns`.
    static func standard(
        of entity: EntityDescription, isToManyIncluded: Bool, command: String
    ) throws(UsageError) -> [RecordColumn] {
        let shown = entity.slots.filter { property in
            !property.isTransient
                && (isToManyIncluded || !(property.relationship?.isToMany ?? false))
        }
        var columns: [RecordColumn] = []
        for property in shown {
            columns.append(try RecordColumn(property.name, of: entity, command: command))
        }
        return columns
    }
}

extension RecordColumn.Content {
    /// The text; several values are separated in the form that `import` reads.
    var text: String {
        switch self {
        case .value(let value): ValueText.text(value)
        case .object(let label): label?.short ?? ""
        case .values(let values): values.map(ValueText.text).joined(separator: ";")
        case .objects(let labels): labels.map(\.short).joined(separator: ";")
        }
    }

    func write(to json: inout JSONText) {
        switch self {
        case .value(let value): json.raw(ValueText.json(value))
        case .object(let label?): json.string(label.uri)
        case .object(nil): json.null()
        case .values(let values):
            json.array { json in for value in values { json.raw(ValueText.json(value)) } }
        case .objects(let labels):
            json.array { json in for label in labels { json.string(label.uri) } }
        }
    }
}

/// Finds entities by name, and creates the errors for unknown names of entities and properties.
enum EntityNames {
    static func entity(
        _ name: String, in model: ManagedObjectModel, command: String
    ) throws(UsageError) -> EntityDescription {
        if let entity = model.entity(named: name) { return entity }
        throw UsageError(
            "The store has no entity '\(name)'."
                + NearestWord.hint(for: name, among: model.entities.map(\.name)),
            command: command)
    }

    static func unknown(
        _ key: String, of entity: EntityDescription, command: String
    ) -> UsageError {
        if let composite = entity.compositeAttribute(named: key) {
            let elements = composite.attributes.map(\.name).joined(separator: ", ")
            return UsageError(
                "\(entity.name).\(key) is a composite attribute. Name its elements: \(elements).",
                command: command)
        }
        return UsageError(
            "\(entity.name) has no property '\(key)'."
                + NearestWord.hint(for: key, among: entity.slots.map(\.name)),
            command: command)
    }
}
