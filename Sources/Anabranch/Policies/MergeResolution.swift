public import AnabranchReplication

/// The outcome of one conflict of a save.
///
/// A resolution decides three kinds of conflict:
///
/// - an object that was changed in the context and in the store,
/// - an object that was deleted in one of them and changed in the other,
/// - objects with the same unique key.
///
/// An object that was deleted in both is gone under every resolution.
///
/// Of several objects with the same unique key, one remains, as if they had been saved one after
/// another: first the object in the store, then the changed objects, then the inserted ones in
/// their order. A new object becomes the existing one: its Swift object adopts that record and its
/// ID. If the context already has an object for that record, and the app uses it or has changed
/// it, the new object leaves the context instead. Relationships to the removed object then point
/// to the remaining one.
public struct MergeResolution: Hashable, Sendable {
    enum Way: String, Sendable {
        case unresolved, mergeByPropertyStoreTrump, mergeByPropertyObjectTrump, overwrite, rollback
    }

    let way: Way
    /// What the object that remains is given in the end, by property names.
    private(set) var values: [String: PropertyValue] = [:]

    private init(_ way: Way) { self.way = way }

    /// Leaves the conflict unresolved: the save throws ``SaveConflictError`` with all unresolved
    /// conflicts.
    public static let unresolved = MergeResolution(.unresolved)

    /// Merges by property; a property that was changed on both sides gets the store's value. A
    /// property that was changed only in the context keeps its value, which is written.
    ///
    /// An object that was deleted in the store leaves the context. An object that was deleted in
    /// the context is restored with the store's values. A new object with a taken key gives its
    /// values only to those properties of the existing object that have none. A changed object
    /// with a new key that is taken gets its former key back.
    public static let mergeByPropertyStoreTrump = MergeResolution(.mergeByPropertyStoreTrump)

    /// Merges by property; a property that was changed on both sides gets the context's value. A
    /// property that was changed only in the store gets the store's value.
    ///
    /// An object that was deleted in the context is deleted. An object that was deleted in the
    /// store and changed in the context becomes a new record with the object's values. A deleted
    /// record never comes back, and so the object gets a new ID, which ``ObjectIDChanges/renamed``
    /// of the save reports. Its references and those to it are restored as the store has them, with
    /// the unsaved ones; its links are those that the object has read or changed. Records that are
    /// gone as well are left out, so a mandatory reference to one makes the save fail with a
    /// ``ValidationError``. A new object with a taken key gives the existing object all values that
    /// the app has set, except null. A changed object with a new key that is taken keeps the key,
    /// and the object that had it is deleted.
    public static let mergeByPropertyObjectTrump = MergeResolution(.mergeByPropertyObjectTrump)

    /// Writes the whole object as it is in the context, including properties that were changed
    /// only in the store.
    ///
    /// Deleted objects and changed objects with a new key that is taken are resolved as by
    /// ``mergeByPropertyObjectTrump``. A new object with a taken key gives the existing object all
    /// its values, including null.
    public static let overwrite = MergeResolution(.overwrite)

    /// Discards the changes of the context; the object gets the store's values.
    ///
    /// An object that was deleted in the store leaves the context. An object that was deleted in
    /// the context is restored. A new object with a taken key gives the existing object nothing. A
    /// changed object with a new key that is taken loses all its changes. Changes of to-many links
    /// are discarded with the object's changes; a reference from another object to it belongs to
    /// that object, and stays.
    public static let rollback = MergeResolution(.rollback)

    /// Returns the same resolution, which then also sets some properties.
    ///
    /// - Parameter values: The values by property name: attribute values, and record references or
    ///   null for to-one relationships. They are dropped if the object leaves the context.
    public func setting(_ values: [String: PropertyValue]) -> MergeResolution {
        var resolution = self
        resolution.values.merge(values) { $1 }
        return resolution
    }
}

extension MergeResolution.Way {
    /// Whether the context's word counts before the store's.
    var isOfContext: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }
}

extension MergeResolution: CustomStringConvertible {
    /// The name of the resolution, and its values.
    public var description: String { values.isEmpty ? way.rawValue : "\(way.rawValue), \(values)" }
}
