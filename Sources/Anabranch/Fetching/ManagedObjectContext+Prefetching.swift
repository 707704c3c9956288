import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Reads the objects at the end of key paths, and all objects on the way, by one SELECT for
    /// each relationship.
    ///
    /// Key paths that begin alike share what they have in common. What was read stays in memory
    /// while one of the objects is in use.
    ///
    /// - Throws: ``PropertyError`` for a key that is not a relationship; `StoreError`.
    func prefetch(
        _ keyPaths: [String], of objects: [ManagedObject], _ entity: EntityDescription
    ) throws {
        var reached: [[String]: [ManagedObject]] = [[]: objects]
        for keyPath in keyPaths {
            var entity = entity
            var way: [String] = []
            for key in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
                let owners = reached[way] ?? []
                way.append(String(key))
                let relationship = try relationship(named: String(key), of: entity)
                entity = relationship.destination
                guard reached[way] == nil else { continue }
                reached[way] = try relatedObjects(
                    of: owners.filter { $0.entity.isKind(of: relationship.entity) },
                    by: relationship)
            }
        }
        let owners = Set(objects.map(\.localID))
        reached[[]] = nil
        let others = reached.values.joined().filter { !owners.contains($0.localID) }
        if !others.isEmpty, !objects.isEmpty { keep(others, for: objects.map(\.localID)) }
    }

    private func relationship(
        named key: String, of entity: EntityDescription
    ) throws -> RelationshipDescription {
        if let relationship = entity.property(named: key)?.relationship { return relationship }
        throw PropertyError(
            .unknownProperty,
            "Can't prefetch \(entity.name).\(key) because there is no such relationship.",
            entity: entity.name, property: key)
    }
}
