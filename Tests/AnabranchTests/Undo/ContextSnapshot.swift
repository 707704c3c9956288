import Anabranch

/// Everything that a context shows: values, transient ones included, and related objects, lists in
/// their order.
struct ContextSnapshot: Equatable, CustomStringConvertible {
    private(set) var lines: [String: [String: String]] = [:]
    /// The suffix of a target's name if the target is deleted and may deny the deletion.
    private static let deletedMark = " (deleted)"

    /// Reads all objects of a context.
    ///
    /// - Parameter name: Returns the name of an object in the snapshot.
    init(of context: ManagedObjectContext, _ name: (ManagedObject) throws -> String) throws {
        for entity in context.model.entities where entity.superentity == nil {
            let request = FetchRequest<ManagedObject>(entityName: entity.name)
            for object in try context.fetch(request) {
                lines[try name(object)] = try Self.properties(of: object, name)
            }
        }
    }

    private static func properties(
        of object: ManagedObject, _ name: (ManagedObject) throws -> String
    ) throws -> [String: String] {
        var properties: [String: String] = [:]
        for property in object.entity.slots {
            let key = property.name
            switch property {
            case .attribute(let attribute):
                let value = try object.value(forKey: key)
                if !value.isNull { properties[key] = "\(value)" }
                if attribute.isTransient, value.isNull { properties[key] = nil }
            case .relationship(let relationship):
                var names: [String] = []
                if relationship.isToMany {
                    names = try object.objects(forKey: key).objects.map(name)
                    if !relationship.isOrdered { names.sort() }
                } else if let target = try object.object(forKey: key) {
                    names = [try name(target) + (target.isDeleted ? deletedMark : "")]
                }
                if !names.isEmpty { properties[key] = names.joined(separator: " ") }
            }
        }
        return properties
    }

    /// Returns the snapshot without a property that is not stored.
    func without(_ key: String) -> ContextSnapshot {
        var snapshot = self
        for name in lines.keys { snapshot.lines[name]?[key] = nil }
        return snapshot
    }

    /// Returns the snapshot without references to objects with a final deletion.
    ///
    /// - Parameter isGone: Called with the name of each target that is deleted.
    func without(deleted isGone: (Substring) -> Bool) -> ContextSnapshot {
        var snapshot = self
        for (name, properties) in lines {
            for (key, target) in properties where target.hasSuffix(Self.deletedMark) {
                guard isGone(target.dropLast(Self.deletedMark.count)) else { continue }
                snapshot.lines[name]?[key] = nil
            }
        }
        return snapshot
    }

    var description: String {
        lines.sorted { $0.key < $1.key }.map { name, properties in
            "\(name): "
                + properties.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(
                    separator: ", ")
        }.joined(separator: "\n")
    }

    /// Returns a text with the differences of two snapshots.
    func difference(from other: ContextSnapshot) -> String {
        let names = Set(lines.keys).union(other.lines.keys).sorted()
        return names.filter { lines[$0] != other.lines[$0] }.map {
            "\($0): \(lines[$0] ?? ["": "absent"]) instead of \(other.lines[$0] ?? ["": "absent"])"
        }.joined(separator: "\n")
    }
}
