import AnabranchModel
import AnabranchReplication

extension ManagedObject {
    /// Returns the objects of a fetched property.
    ///
    /// The first call fetches them, with the pending changes of the context. Later calls return the
    /// same objects, whatever has changed since, until the object is refreshed or becomes a fault.
    ///
    /// - Parameter key: The name of the fetched property.
    /// - Throws: ``PropertyError`` with code `unknownProperty` if the entity has no fetched
    ///   property of that name, and with code `inaccessible` for an object that has lost its
    ///   context; `FetchPredicateError` for a predicate that can't be evaluated yet; `StoreError`.
    public final func fetchedObjects(forKey key: String) throws -> [ManagedObject] {
        guard let property = entity.fetchedProperty(named: key) else {
            throw PropertyError(
                .unknownProperty,
                "Can't fetch \(entity.name).\(key) because \(entity.name) has no fetched property "
                    + "of that name.", property: key, objectID: objectID)
        }
        let context = try context(for: key)
        if let ids = relations?.fetched[key] { return ids.map { context.object(with: $0) } }
        try fireFaultOrThrow()
        let objects = try context.fetch(request(for: property))
        relationTable().fetched[key] = objects.map(\.objectID)
        return objects
    }

    /// The objects of a fetched property, by name: `self[fetched: "homonyms"]`.
    ///
    /// A subscript can't throw. If the fetch fails, the result is empty, and the context's next
    /// save throws the error of ``fetchedObjects(forKey:)``. That save writes nothing. Objects of
    /// another class are left out.
    public final subscript<T: ManagedObject>(fetched key: String) -> [T] {
        do {
            return try fetchedObjects(forKey: key).compactMap { $0 as? T }
        } catch {
            managedObjectContext?.keep(error)
            return []
        }
    }

    private final func request(
        for property: FetchedPropertyDescription
    ) throws -> FetchRequest<ManagedObject> {
        let predicate = try FetchSourcePredicate(property.declaration)
        var values: [[String]: FetchExpression] = [:]
        for path in predicate.paths { values[path] = try value(at: path) }
        var request = FetchRequest<ManagedObject>(entityName: property.destination.name)
        request.predicate = predicate.substituting(values)
        request.fetchLimit = property.fetchLimit ?? 0
        return request
    }

    /// The value at the end of a path over to-ones. It is null if one of them is nil.
    private final func value(at path: [String]) throws -> FetchExpression {
        var object = self
        for (place, key) in path.enumerated() {
            switch object.entity.property(named: key) {
            case .attribute: return try object.value(forKey: key).predicateExpression
            case .relationship(let relationship) where relationship.isToMany:
                let members = try object.objects(forKey: key).map {
                    PredicateConstant.object($0.objectID.predicateReference)
                }
                return PredicateConstant.collection(members).predicateExpression
            default:
                guard let next = try object.object(forKey: key) else {
                    return PropertyValue.null.predicateExpression
                }
                guard place < path.count - 1 else { return next.predicateExpression }
                object = next
            }
        }
        return object.predicateExpression
    }
}
