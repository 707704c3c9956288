import Anabranch
import Observation
import Synchronization

/// Observes every property that a context shows, and finds the changes that were not reported.
final class StackObservers {
    private struct Look {
        let object: ManagedObject
        let name: String
        let shown: Shown
        let isTold: Told
    }

    /// The visible content of a property: a value or the related objects.
    private enum Shown: Equatable {
        case value(PropertyValue)
        case objects(Set<ManagedObject>)
    }

    private final class Told: Sendable {
        let flag = Atomic(false)
    }

    private var looks: [Look] = []

    /// Reads all properties again.
    ///
    /// - Returns: A line for each property with another content than at the last look and without a
    ///   report of the change.
    func look(at objects: [ManagedObject], in context: ManagedObjectContext) throws -> [String] {
        let missed = try looks.filter { look in
            guard look.object.managedObjectContext === context, !look.object.isDeleted,
                !look.isTold.flag.load(ordering: .relaxed)
            else { return false }
            return try Self.shown(look.name, of: look.object) != look.shown
        }
        looks = try objects.flatMap { object in
            try object.entity.slots.map { try Self.look(at: $0.name, of: object) }
        }
        return missed.map { "\($0.name) of \($0.object["key"]) has changed untold" }
    }

    private static func look(at name: String, of object: ManagedObject) throws -> Look {
        let told = Told()
        let reading = withObservationTracking {
            Result { try shown(name, of: object) }
        } onChange: {
            told.flag.store(true, ordering: .relaxed)
        }
        return Look(object: object, name: name, shown: try reading.get(), isTold: told)
    }

    private static func shown(_ name: String, of object: ManagedObject) throws -> Shown {
        switch object.entity.relationships.first(where: { $0.name == name })?.isToMany {
        case nil: .value(object[name])
        case false: .objects(Set([try object.object(forKey: name)].compactMap(\.self)))
        case true: .objects(Set(try object.objects(forKey: name)))
        }
    }
}
