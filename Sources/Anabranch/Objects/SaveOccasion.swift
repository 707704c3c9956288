/// The kind of write that a save makes for an object.
enum SaveOccasion: CaseIterable {
    // The order in which a save validates.
    case delete, insert, update

    /// - Returns: `nil` for an object that no save writes.
    init?(_ object: ManagedObject) {
        let flags = object.flags
        if flags.contains(.detached) { return nil }
        if flags.contains(.deleted) {
            self = .delete
        } else if flags.contains(.inserted) {
            self = .insert
        } else if flags.contains(.updated) {
            self = .update
        } else {
            return nil
        }
    }
}
