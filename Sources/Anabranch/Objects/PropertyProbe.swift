import AnabranchModel
import AnabranchReplication
import Synchronization

/// Records what a key path reads of the objects to which it is applied.
///
/// Swift can't take a key path apart. So the key path is applied to an object that stands for its
/// class: the accessors of the object tell the probe the slots, and a to-one relationship leads to
/// another such object. All slots are null, except one that can be marked by a value.
final class PropertyProbe {
    /// A part of an object that was read.
    enum Access: Equatable {
        case slot(Int)
        case target(Int)
        case count(Int)
        case composite(String)
    }

    struct Read: Equatable {
        /// The object as an index of `objects`.
        let object: Int
        let access: Access
    }

    /// A value in one slot.
    struct Mark {
        let object: Int
        let slot: Int
        let value: PropertyValue
    }

    private let mark: Mark?
    /// The objects, the one to which the key path is applied first.
    private(set) var objects: [ManagedObject] = []
    private(set) var reads: [Read] = []

    /// Applies a key path to an object of a class.
    ///
    /// - Parameter body: Is called with the probe and the result.
    static func apply<Result>(
        _ keyPath: AnyKeyPath, to type: ManagedObject.Type, marking mark: Mark? = nil,
        _ body: (PropertyProbe, Any) -> Result
    ) -> Result? {
        let probe = PropertyProbe(mark)
        // The objects refer to the probe by their homes.
        defer { probe.objects = [] }
        return probe.object(of: type)[keyPath: keyPath].map { body(probe, $0) }
    }

    private init(_ mark: Mark?) { self.mark = mark }

    private func object(of type: ManagedObject.Type) -> ManagedObject {
        let standIn = ProbedClass.of(type)
        let object = type.init(
            ObjectInitialization(
                home: EntityHome(of: standIn, probe: self), id: Int64(objects.count + 1),
                flags: .isFired))
        var values = standIn.plan.defaults
        if let mark, mark.object == objects.count { values[mark.slot] = mark.value }
        object.slots = SlotStorage(copying: values)
        objects.append(object)
        return object
    }

    private func record(_ access: Access, of object: ManagedObject) {
        guard let index = objects.firstIndex(where: { $0 === object }) else { return }
        reads.append(Read(object: index, access: access))
    }

    /// Records the read of a slot.
    func read(_ slot: Int, of object: ManagedObject) { record(.slot(slot), of: object) }

    /// Returns the object at the other end of a to-one relationship.
    func target<T: ManagedObject>(of object: ManagedObject, _ slot: Int) -> T? {
        record(.target(slot), of: object)
        return self.object(of: T.self) as? T
    }

    /// Returns the number of objects of a to-many relationship.
    func count(of object: ManagedObject, _ slot: Int) -> Int {
        record(.count(slot), of: object)
        if case .integer(let count) = object.slots[slot] { return Int(count) }
        return 0
    }

    /// Returns the elements of a composite attribute.
    func elements(of object: ManagedObject, named name: String) -> CompositeElements {
        record(.composite(name), of: object)
        var values: [String: PropertyValue] = [:]
        for (slot, element) in Self.elements(of: name, in: type(of: object)) {
            values[element] = object.slots[slot]
        }
        return CompositeElements(values)
    }

    /// The slots of a composite attribute, with the names of the elements within it.
    static func elements(
        of name: String, in type: ManagedObject.Type
    ) -> [(slot: Int, name: String)] {
        type.slotNames.enumerated().compactMap { slot, path in
            path.hasPrefix(name + ".") ? (slot, String(path.dropFirst(name.count + 1))) : nil
        }
    }
}

/// The entity and the origin of objects that stand for a class, made once for each class.
struct ProbedClass {
    let plan: EntityPlan
    let origin: StoreOrigin

    private static let known = Mutex<[ObjectIdentifier: ProbedClass]>([:])

    static func of(_ type: ManagedObject.Type) -> ProbedClass {
        known.withLock { known in
            if let standIn = known[ObjectIdentifier(type)] { return standIn }
            let standIn = ProbedClass(type)
            known[ObjectIdentifier(type)] = standIn
            return standIn
        }
    }

    /// Makes an entity with as many slots as the class has. Only the class knows their names.
    private init(_ type: ManagedObject.Type) {
        let attributes = type.slotNames.indices.map { AttributeDeclaration("slot\($0)", .string) }
        do {
            let entity = EntityDeclaration("Probe") { for attribute in attributes { attribute } }
            let model = try ManagedObjectModel(entities: [entity])
            plan = EntityPlan(model.entities[0], type: type)
            origin = StoreOrigin.withoutStore(model)
        } catch {
            preconditionFailure("The model of optional attributes was refused: \(error)")
        }
    }
}
