public import AnabranchReplication

/// How one conflict of a save ends.
///
/// Each way says what becomes of an object that was changed in the context and in the store, of one
/// that was deleted at one of the two and changed at the other, and of objects with one unique key.
/// What was deleted at both is gone, whatever the way.
///
/// Of several objects with one unique key one remains, as if they had been saved one after the
/// other: first what the store holds, then those that were changed here, then those that were
/// inserted, in their order. A new object becomes the one that is there already: its Swift object
/// takes over that record and its ID, unless the context has an object for it that somebody uses or
/// has changed; then the new one leaves the context. Who is related to the one that goes is related
/// to the one that remains.
public struct MergeResolution: Hashable, Sendable {
    enum Way: String, Sendable {
        case unresolved, mergeByPropertyStoreTrump, mergeByPropertyObjectTrump, overwrite, rollback
    }

    let way: Way
    /// What the object that remains is given in the end, by property names.
    private(set) var values: [String: Value] = [:]

    private init(_ way: Way) { self.way = way }

    /// The conflict stays: the save throws ``SaveConflictError`` with all that stay.
    public static let unresolved = MergeResolution(.unresolved)

    /// By property: what was changed at both is as in the store, what was changed only here is
    /// kept, and written.
    ///
    /// What was deleted in the store leaves the context; what was deleted here is there again, as
    /// the store has it. A new object gives the one that holds its key what that has none of; an
    /// object that was changed here to a key that is taken has its former key again.
    public static let mergeByPropertyStoreTrump = MergeResolution(.mergeByPropertyStoreTrump)

    /// By property: what was changed at both is as in the context, what was changed only in the
    /// store is as there.
    ///
    /// What was deleted here is deleted. What was deleted in the store and changed here becomes a
    /// new record with the object's values: an identity that was deleted never comes back, so the
    /// object has a new ID, told by `renamed` of the save's ``ObjectIDChanges``; who was related to
    /// it is so again, as far as store or context know. A new object gives the one that holds its
    /// key all that the app has set in it, but for null. An object that was changed here to a key
    /// that is taken keeps it, and the one that held it is deleted.
    public static let mergeByPropertyObjectTrump = MergeResolution(.mergeByPropertyObjectTrump)

    /// The whole object is written as it is in the context, also where only the store has changed.
    ///
    /// Deleted objects and taken keys are as under ``mergeByPropertyObjectTrump``; a new object
    /// gives the one that holds its key all its values, null among them.
    public static let overwrite = MergeResolution(.overwrite)

    /// The object is as in the store, and what was changed in it here is dropped.
    ///
    /// What was deleted in the store leaves the context; what was deleted here is there again. A
    /// new object gives nothing to the one that holds its key; an object that was changed to a key
    /// that is taken loses all its changes. Links to others are dropped with the object's changes;
    /// a reference of another object to it is that object's own, and stays.
    public static let rollback = MergeResolution(.rollback)

    /// The same, and then some properties set.
    ///
    /// - Parameter values: Of attributes, and of to-one relationships as a record reference or
    ///   null, by name. Where the object leaves the context they go with it.
    public func setting(_ values: [String: Value]) -> MergeResolution {
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
    public var description: String { values.isEmpty ? way.rawValue : "\(way.rawValue), \(values)" }
}
