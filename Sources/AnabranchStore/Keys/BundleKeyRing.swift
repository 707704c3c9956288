public import Foundation

/// The keys that bundles are sealed with and opened by: the newest seals, all open.
///
/// Everybody who exchanges sealed bundles has a file with the same keys, handed over by a way that
/// nobody else reads. ``rotate()`` adds a newer key: those who get it go on reading each other,
/// and what somebody who was away seals under an older one is still read. Who no longer gets the
/// newer keys reads nothing that is sealed with them; what he could read before he keeps, and
/// until ``remove(_:)`` takes the older keys out of the others' rings, they go on reading what he
/// seals with them.
///
/// Secrets are in no description and no error, and are wiped from memory when the last copy of
/// the ring goes.
public struct BundleKeyRing: Sendable {
    /// What may be told of a key.
    public struct Key: Hashable, Sendable {
        public let id: BundleKeyID
        /// When it was made, by the clock of whoever made it, in whole seconds.
        public let date: Date
    }

    /// How many keys a ring may have.
    public static let mostKeys = 1_000

    /// Ascending by the second they were made in, then by ID; never empty. So all who hold the
    /// same keys seal with the same one, in whatever order they came to them.
    private(set) var all: [BundleKey]

    /// A ring with one new key.
    public init() {
        self.init([BundleKey(secret: Self.freshSecret(), seconds: Self.now)])
    }

    /// - Parameter keys: In order, at least one.
    init(_ keys: [BundleKey]) {
        precondition(!keys.isEmpty, "a ring has a key")
        all = keys
    }

    /// A ring of keys that a test knows, each made a second after the one before it.
    package init(unsafeSecrets secrets: [[UInt8]], since seconds: Int64) {
        self.init(
            secrets.enumerated().map { number, bytes in
                let secret = SecretBytes(count: bytes.count) {
                    $0.update(from: bytes, count: bytes.count)
                }
                return BundleKey(secret: secret, seconds: seconds + Int64(number))
            })
    }

    /// Oldest first.
    public var keys: [Key] { all.map(\.told) }

    /// The key that seals.
    public var newest: Key { sealing.told }

    var sealing: BundleKey { all[all.count - 1] }

    func key(named id: BundleKeyID) -> BundleKey? { all.first { $0.id == id } }

    /// The key that encrypts a bundle.
    ///
    /// - Returns: `nil` where the ring lacks the key that the bundle names.
    package func subkey(of header: SealedBundleHeader) -> SecretBytes? {
        key(named: header.key)?.subkey(salt: header.salt)
    }

    private static func freshSecret() -> SecretBytes {
        SecretBytes(randomCount: BundleKey.byteCount)
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension BundleKeyRing {
    /// Adds a newer key, which seals from now on.
    ///
    /// It counts as made after all that are there, also where this device's clock is behind.
    ///
    /// - Throws: ``KeyRingError`` `tooManyKeys`; `lastDate` where the newest has the last date
    ///   there is: ``remove(_:)`` takes it out.
    public mutating func rotate() throws(KeyRingError) {
        guard canRotate else {
            throw KeyRingError(
                .lastDate,
                "Can't make a newer key because the newest, \(sealing.id), has the last date "
                    + "there is. "
                    + (all.count > 1 ? "Remove it, then rotate." : "Begin with a new ring."))
        }
        let key = BundleKey(
            secret: Self.freshSecret(), seconds: max(Self.now, sealing.seconds + 1))
        try put(all + [key])
    }

    /// Takes over the keys of another ring: who has made keys here while others made some there
    /// reads both afterwards, and all who do so seal with the same one.
    ///
    /// - Throws: ``KeyRingError`` `tooManyKeys`.
    public mutating func formUnion(_ other: BundleKeyRing) throws(KeyRingError) {
        let held = Set(all.map(\.id))
        let keys = all + other.all.filter { !held.contains($0.id) }
        try put(keys.sorted(by: BundleKey.isBefore))
    }

    /// Takes a key out: what is sealed with it can't be read by this ring any more, unless
    /// ``formUnion(_:)`` brings the key back from a ring that still has it.
    ///
    /// The newest stays, because the one before it would seal then. Only where it has the last
    /// date there is, so that none can be newer, may it go, if there is another: else whoever gave
    /// such a key to others would have them seal with it for ever. Rotate at once then.
    ///
    /// - Throws: ``KeyRingError`` `notHeld`; `sealingKey` for a newest key that stays.
    public mutating func remove(_ id: BundleKeyID) throws(KeyRingError) {
        guard id != sealing.id || (!canRotate && all.count > 1) else {
            throw KeyRingError(
                .sealingKey,
                "Can't remove the key \(id) because it is the newest, with which bundles are "
                    + "sealed. " + (canRotate ? "Rotate first." : "Begin with a new ring."))
        }
        guard key(named: id) != nil else {
            throw KeyRingError(
                .notHeld, "Can't remove the key \(id) because the ring has no such key.")
        }
        all.removeAll { $0.id == id }
    }

    private var canRotate: Bool { sealing.seconds < BundleKey.greatestSeconds }

    private mutating func put(_ keys: [BundleKey]) throws(KeyRingError) {
        guard keys.count <= Self.mostKeys else {
            throw KeyRingError(
                .tooManyKeys,
                "Can't have \(keys.count) keys in one ring; remove old ones: \(Self.mostKeys) "
                    + "are the most.")
        }
        all = keys
    }
}

extension BundleKey {
    fileprivate var told: BundleKeyRing.Key {
        BundleKeyRing.Key(id: id, date: Date(timeIntervalSince1970: Double(seconds)))
    }

    static func isBefore(_ left: BundleKey, _ right: BundleKey) -> Bool {
        guard left.seconds == right.seconds else { return left.seconds < right.seconds }
        return BundleKeyID.isBefore(left.id, right.id)
    }
}

extension BundleKeyRing: CustomStringConvertible {
    /// How many keys there are and which one seals.
    public var description: String { "\(all.count) keys, of which \(sealing.id) seals" }
}
