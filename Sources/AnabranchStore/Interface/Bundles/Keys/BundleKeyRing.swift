public import Foundation

/// The keys with which bundles are sealed and opened: the newest key seals, and every key opens.
///
/// All users of a group of stores have a file with the same keys, which they exchange over a
/// private channel. ``rotate()`` adds a newer key. Users with the new ring can still read each
/// other's bundles, including those that were sealed under an older key.
///
/// A user without the newer keys cannot read bundles that are sealed with them, but still reads
/// older ones. The other users also still accept bundles that this user seals with an older key,
/// until ``remove(_:)`` deletes that key from their rings.
///
/// Secrets appear in no description and no error. They are wiped from memory with the last copy of
/// the ring.
public struct BundleKeyRing: Sendable {
    /// The public part of a key.
    public struct Key: Hashable, Sendable {
        /// The key's ID, which reveals nothing about the secret.
        public let id: BundleKeyID
        /// The creation time in whole seconds, by the clock of the device that created the key.
        public let date: Date
    }

    /// The greatest number of keys in a ring.
    package static let maximumKeys = 1_000

    /// The keys in ascending order of their creation second, then of their ID; never empty. So all
    /// rings with the same keys seal with the same key, in whatever order they got them.
    private(set) var all: [BundleKey]

    /// Creates a ring with one new key.
    public init() {
        self.init([BundleKey(secret: Self.freshSecret(), seconds: Self.now)])
    }

    /// Creates a ring from keys.
    ///
    /// - Parameter keys: The keys in order, at least one.
    init(_ keys: [BundleKey]) {
        precondition(!keys.isEmpty, "a ring has a key")
        all = keys
    }

    /// Creates a ring of given secrets for tests, each key one second newer than the one before.
    package init(unsafeSecrets secrets: [[UInt8]], since seconds: Int64) {
        self.init(
            secrets.enumerated().map { number, bytes in
                let secret = SecretBytes(count: bytes.count) {
                    $0.update(from: bytes, count: bytes.count)
                }
                return BundleKey(secret: secret, seconds: seconds + Int64(number))
            })
    }

    /// The keys, oldest first.
    public var keys: [Key] { all.map(\.textCount) }

    /// The key that seals new bundles.
    public var newest: Key { sealing.textCount }

    var sealing: BundleKey { all[all.count - 1] }

    func key(named id: BundleKeyID) -> BundleKey? { all.first { $0.id == id } }

    /// The key that encrypts a bundle.
    ///
    /// - Returns: `nil` if the ring lacks the key that the bundle names.
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
    /// Its date is later than that of every key in the ring, even if this device's clock is behind.
    ///
    /// - Throws: ``KeyRingError`` `tooManyKeys`; `lastDate` if the newest key already has the last
    ///   possible date. ``remove(_:)`` deletes such a key.
    public mutating func rotate() throws(KeyRingError) {
        guard canRotate else {
            throw KeyRingError(
                .lastDate,
                "Can't create a newer key because the newest, \(sealing.id), has the last "
                    + "possible date. "
                    + (all.count > 1 ? "Remove it, then rotate." : "Create a new ring."))
        }
        let key = BundleKey(secret: Self.freshSecret(), seconds: max(Self.now, sealing.seconds + 1))
        try put(all + [key])
    }

    /// Adds the keys of another ring.
    ///
    /// If keys were created in both rings, the result opens the bundles of both, and all rings with
    /// the same keys seal with the same key.
    ///
    /// - Throws: ``KeyRingError`` `tooManyKeys`.
    public mutating func formUnion(_ other: BundleKeyRing) throws(KeyRingError) {
        let held = Set(all.map(\.id))
        let keys = all + other.all.filter { !held.contains($0.id) }
        try put(keys.sorted(by: BundleKey.isBefore))
    }

    /// Removes a key: this ring can no longer open what is sealed with it, unless ``formUnion(_:)``
    /// adds the key again from another ring.
    ///
    /// The newest key cannot be removed, because the one before it would then seal. The exception
    /// is a newest key with the last possible date, if the ring has another key: no newer key could
    /// ever replace it. Call ``rotate()`` right after removing it.
    ///
    /// - Throws: ``KeyRingError`` `notHeld`; `sealingKey` for a newest key that must stay.
    public mutating func remove(_ id: BundleKeyID) throws(KeyRingError) {
        guard id != sealing.id || (!canRotate && all.count > 1) else {
            throw KeyRingError(
                .sealingKey,
                "Can't remove the key \(id) because it is the newest, which seals bundles. "
                    + (canRotate ? "Rotate first." : "Create a new ring."))
        }
        guard key(named: id) != nil else {
            throw KeyRingError(
                .notHeld, "Can't remove the key \(id) because the ring has no such key.")
        }
        all.removeAll { $0.id == id }
    }

    private var canRotate: Bool { sealing.seconds < BundleKey.greatestSeconds }

    private mutating func put(_ keys: [BundleKey]) throws(KeyRingError) {
        guard keys.count <= Self.maximumKeys else {
            throw KeyRingError(
                .tooManyKeys,
                "Can't have \(keys.count) keys in one ring because the limit is "
                    + "\(Self.maximumKeys). Remove old keys.")
        }
        all = keys
    }
}

extension BundleKey {
    fileprivate var textCount: BundleKeyRing.Key {
        BundleKeyRing.Key(id: id, date: Date(timeIntervalSince1970: Double(seconds)))
    }

    static func isBefore(_ left: BundleKey, _ right: BundleKey) -> Bool {
        guard left.seconds == right.seconds else { return left.seconds < right.seconds }
        return BundleKeyID.isBefore(left.id, right.id)
    }
}

extension BundleKeyRing: CustomStringConvertible {
    /// The number of keys and the ID of the key that seals.
    public var description: String { "\(all.count) keys, of which \(sealing.id) seals" }
}
