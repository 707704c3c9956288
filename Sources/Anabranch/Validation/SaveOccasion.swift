/// What a save does to an object.
enum SaveOccasion: CaseIterable {
    // In the order in which a save asks.
    case delete, insert, update

    /// - Returns: `nil` of an object that no save does anything to.
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
