import AnabranchModel
import AnabranchStore

extension PersistentStoreCoordinator {
    /// Estimates the number of an entity's objects in the store, without sub-entities, if there are
    /// many.
    ///
    /// Counting reads every row of a table or of an index. The estimate reads some hundred places
    /// of the table and takes a few milliseconds, however many rows there are. It is good to a few
    /// percent, unless objects of a hierarchy's entities are very unevenly spread. Objects that
    /// merge duplicates, and so show as one, count one by one.
    ///
    /// - Parameters:
    ///   - name: The name of an entity of the store's model.
    ///   - limit: The number of rows up to which a table is not estimated.
    /// - Returns: `nil` if the table has no more rows than that, or the model has no such entity:
    ///   a context can count them quickly.
    /// - Throws: `StoreError`.
    package func estimatedCount(
        ofEntity name: String, ifMoreThan limit: Int = 10_000
    ) throws -> Int? {
        guard let entity = model.entity(named: name) else { return nil }
        return try store.read { try $0.estimatedCount(of: entity, ifMoreThan: max(limit, 0)) }
    }
}
