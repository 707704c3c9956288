public import AnabranchReplication
import AnabranchStore
public import Foundation

/// A file of change sets, which carries them from one store to another without a server.
///
/// A store can import bundles in any order and more than once. If that store later syncs with a
/// zone, it pushes the change sets that the zone lacks.
public struct ChangeBundle: Sendable {
    /// The location of the bundle file.
    public let url: URL
    /// The replica ID of the store that exported the bundle.
    public let sender: ReplicaID
    /// The time of the export by the sender's clock.
    public let date: Date
    /// The sender's version vector at the export, including the change sets that the bundle leaves
    /// out.
    package let vector: VersionVector
    /// The change sets that precede the bundle's change sets and are not in it.
    ///
    /// A store holds the bundle's change sets back until it has these, from another bundle or from
    /// a sync. They are the change sets that the export left out, and those that the sender itself
    /// received only as a snapshot of its zone.
    package let prerequisites: VersionVector
    /// The number of change sets in the bundle.
    public let changeSetCount: Int
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The ID of the key that encrypts the bundle; `nil` if the bundle is plain text.
    public var sealingKey: BundleKeyID? { summary.seal?.key }

    private let summary: BundleFile.Summary
    private let keyRing: BundleKeyRing?

    /// Reads a bundle to its end and verifies every byte.
    ///
    /// - Parameters:
    ///   - url: The location of the bundle file.
    ///   - keyRing: The keys that can open an encrypted bundle. If you pass one, a plain-text
    ///     bundle is refused, because an attacker could have replaced the encrypted file by it.
    /// - Throws: `StoreError` with code `cannotOpen`, `damagedBundle` (with the offset),
    ///   `newerFormat`, `keyRequired`, `keyMissing` or `notSealed`.
    public init(contentsOf url: URL, openedWith keyRing: BundleKeyRing? = nil) throws {
        let summary = try BundleFile(url.path, BundleOpening(keyRing)).check()
        self.init(summary, at: url, keyRing)
    }

    init(_ summary: BundleFile.Summary, at url: URL, _ keyRing: BundleKeyRing?) {
        self.url = url
        self.summary = summary
        self.keyRing = keyRing
        sender = summary.header.sender
        date = Date(timeIntervalSince1970: Double(summary.header.wallMilliseconds) / 1000)
        vector = summary.header.vector
        prerequisites = summary.prerequisites
        changeSetCount = summary.setCount
        byteCount = summary.byteCount
    }

    /// Calls a closure with each change set, in a causal order.
    ///
    /// Each change set carries a causal context that names everything its author held.
    ///
    /// - Parameter body: The closure. An error that it throws ends the iteration.
    /// - Throws: The errors of ``init(contentsOf:openedWith:)`` if the file has changed since it
    ///   was opened, and the errors of `body`.
    package func forEachChangeSet(_ body: (ChangeSet) throws -> Void) throws {
        let file = BundleFile(url.path, BundleOpening(keyRing), checked: summary)
        try file.forEachItem { item in
            if case .changeSet(let set) = item { try body(set) }
        }
    }
}

extension ChangeBundle {
    /// The change sets that the receiver of a bundle already holds, which the export leaves out.
    public struct Base: Sendable {
        let base: BundleBase

        /// A base that leaves nothing out: the bundle gets every change set.
        public static let nothing = Base(base: .nothing)

        /// A base that leaves out what the sender of another bundle held.
        ///
        /// Use it to answer a bundle from another store with the change sets that this store
        /// lacks.
        ///
        /// - Parameters:
        ///   - url: The location of the other store's bundle.
        ///   - keyRing: The keys that can open an encrypted bundle. If you pass one, a plain-text
        ///     bundle is refused, because a forged bundle could decide what is left out.
        /// - Throws: `StoreError` with code `cannotOpen`, `damagedBundle`, `newerFormat`,
        ///   `keyRequired`, `keyMissing` or `notSealed`.
        public static func sender(
            of url: URL, openedWith keyRing: BundleKeyRing? = nil
        ) throws -> Base {
            let file = BundleFile(url.path, BundleOpening(keyRing))
            return Base(base: BundleBase(senderOf: try file.check().header))
        }

        /// A base that leaves out the change sets of a version vector, for example the other
        /// store's ``PersistentStoreCoordinator/versionVector()``.
        package static func vector(_ vector: VersionVector) -> Base {
            Base(base: BundleBase(vector))
        }

        /// A base that leaves out what a replica held at its last save that this store knows. The
        /// replica holds at least this much now.
        public static func replica(_ replica: ReplicaID) -> Base { Base(base: .replica(replica)) }
    }

    /// The result of importing a bundle, as numbers of change sets.
    public struct Outcome: Sendable {
        /// The number of change sets that were applied, including those that had waited for them.
        public let appliedCount: Int
        /// The number of the bundle's change sets that the store already held.
        public let heldCount: Int
        /// The number of change sets that wait in the store for their causes, from this bundle or
        /// an earlier one.
        public let waitingCount: Int
    }
}
