import Anabranch

/// Everything that a context shows, by Swift object: values, transient ones too, and who is
/// related to whom, of lists in their order.
struct GraphPicture: Equatable, CustomStringConvertible {
    private(set) var lines: [String: [String: String]] = [:]
    /// Behind the name of whom a reference leads to that may deny his deletion.
    private static let deletedMark = " (deleted)"

    /// - Parameter name: What an object is called in the picture.
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

    /// Without what is not stored.
    func without(_ key: String) -> GraphPicture {
        var picture = self
        for name in lines.keys { picture.lines[name]?[key] = nil }
        return picture
    }

    /// Without references to those whose deletion nobody can deny any more.
    ///
    /// - Parameter isGone: Asked for the names of those who are led to and are deleted.
    func without(deleted isGone: (Substring) -> Bool) -> GraphPicture {
        var picture = self
        for (name, properties) in lines {
            for (key, target) in properties where target.hasSuffix(Self.deletedMark) {
                guard isGone(target.dropLast(Self.deletedMark.count)) else { continue }
                picture.lines[name]?[key] = nil
            }
        }
        return picture
    }

    var description: String {
        lines.sorted { $0.key < $1.key }.map { name, properties in
            "\(name): "
                + properties.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(
                    separator: ", ")
        }.joined(separator: "\n")
    }

    /// What two pictures do not have in common, for people.
    func difference(from other: GraphPicture) -> String {
        let names = Set(lines.keys).union(other.lines.keys).sorted()
        return names.filter { lines[$0] != other.lines[$0] }.map {
            "\($0): \(lines[$0] ?? ["": "absent"]) instead of \(other.lines[$0] ?? ["": "absent"])"
        }.joined(separator: "\n")
    }
}
