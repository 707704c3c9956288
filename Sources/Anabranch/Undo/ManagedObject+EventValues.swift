import AnabranchModel
public import AnabranchReplication

extension ManagedObject {
    /// Returns the values that attributes and to-one relationships had before the present event,
    /// by name, for those that the event has changed. The event began when the context last
    /// processed its pending changes. A to-one relationship has a record reference as its value.
    ///
    /// For an object that was inserted in this event, these are the default values that were
    /// changed. Observers of ``ManagedObjectContext/objectsDidChange`` see the event that is being
    /// reported.
    ///
    /// - Throws: `StoreError` if the store is closed.
    public final func changedValuesForCurrentEvent() throws -> [String: PropertyValue] {
        guard !isFault, let earlier = valuesBeforeEvent, earlier.count == slots.count else {
            return [:]
        }
        var values: [String: PropertyValue] = [:]
        for property in entity.slots where earlier[property.slot] != slots[property.slot] {
            values[property.name] = try portable(earlier[property.slot], of: property)
        }
        return values
    }

    /// `nil` where the event has not written the object.
    private final var valuesBeforeEvent: [PropertyValue]? {
        guard let context = managedObjectContext else { return nil }
        let isPresent = flags.contains(.recordedInEvent)
        let values = isPresent ? context.event.earlierValues : context.announcedValues
        if let earlier = values[self] { return earlier }
        if flags.contains(isPresent ? .insertedInEvent : .announcedBirth) {
            return home.plan.defaults
        }
        guard flags.contains(isPresent ? .writable : .reported) else { return nil }
        return committed.isEmpty ? nil : Array(committed.buffer)
    }
}
