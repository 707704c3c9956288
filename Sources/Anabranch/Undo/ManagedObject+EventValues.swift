import AnabranchModel
public import AnabranchReplication

extension ManagedObject {
    /// What attributes and to-one relationships that the present event has changed were before it,
    /// by name: since the context has last processed its pending changes. A to-one is a record
    /// reference.
    ///
    /// Of an object that is new in the event it is the defaults that were changed. Those who are
    /// told by ``ManagedObjectContext/objectsDidChange`` still see the event that they are told of.
    ///
    /// - Throws: ``StoreError`` where the store is closed.
    public final func changedValuesForCurrentEvent() throws -> [String: Value] {
        guard !isFault, let earlier = valuesBeforeEvent, earlier.count == slots.count else {
            return [:]
        }
        var values: [String: Value] = [:]
        for property in entity.slots where earlier[property.slot] != slots[property.slot] {
            values[property.name] = try portable(earlier[property.slot], of: property)
        }
        return values
    }

    /// `nil` where the event has not written the object.
    private final var valuesBeforeEvent: [Value]? {
        guard let context = managedObjectContext else { return nil }
        let isPresent = flags.contains(.noted)
        let values = isPresent ? context.event.earlierValues : context.announcedValues
        if let earlier = values[self] { return earlier }
        if flags.contains(isPresent ? .born : .announcedBirth) { return home.plan.defaults }
        guard flags.contains(isPresent ? .writable : .announced) else { return nil }
        return committed.isEmpty ? nil : Array(committed.buffer)
    }
}
