extension StorageError {
    /// The error for a store after its zones were moved.
    init(moved place: String, to location: String) {
        let target = location.split(separator: "\n").first.map(String.init) ?? "another store"
        self.init(
            .moved, "Can't serve \(place) because its zones were moved to \(target): serve that.")
    }
}
