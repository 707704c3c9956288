/// How long a store keeps the saves that its zone holds too.
///
/// The log of a store has every save with its values, which the rows have as well. A save that the
/// zone holds is needed again by a zone that is restored from a backup, by a bundle for another
/// store, and by an app that reads the history. Saves that the zone is not known to hold are never
/// removed, so a store without a zone keeps all.
///
/// The sync engine removes what the rule does not keep after an exchange, from the oldest save on,
/// in short transactions. What remains of a save are its position, its time and its author.
public struct LogRetention: Sendable, Hashable {
    /// The greatest age of a save, by the time of the save; `nil` for no limit.
    public var age: Duration?
    /// The greatest size in bytes of all saves that are kept, which is that of their values and 250
    /// bytes for each save; `nil` for no limit.
    public var byteCount: Int?
    /// The age up to which a save is kept, whatever the size of all is.
    ///
    /// It should be longer than the time between two backups of the zone: a store gives back to a
    /// restored zone what its own log still has.
    public var leastAge: Duration

    /// Keeps every save.
    public static let everything = LogRetention()
    /// Keeps the saves of 30 days, but of those that are older than two days no more than 64 MiB.
    public static let standard = LogRetention(age: .seconds(30 * 86_400), byteCount: 64 << 20)

    /// Creates a retention rule; `nil` means no limit.
    public init(
        age: Duration? = nil, byteCount: Int? = nil, leastAge: Duration = .seconds(2 * 86_400)
    ) {
        self.age = age
        self.byteCount = byteCount
        self.leastAge = leastAge
    }
}
