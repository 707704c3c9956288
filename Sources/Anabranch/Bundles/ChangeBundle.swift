public import AnabranchReplication
import AnabranchStore
public import Foundation

/// A file of change sets, which takes them from store to store without a server: on a stick, by
/// mail, from one device to the next.
///
/// Bundles may be taken in in any order, more than once, and by any number of stores; whoever
/// then syncs with a zone brings it what it lacks.
public struct ChangeBundle: Sendable {
    public let url: URL
    /// The replica that the store saved under that wrote the bundle.
    public let sender: ReplicaID
    /// When it was written, by its sender's clock.
    public let date: Date
    /// What its sender held, in the bundle or not.
    public let vector: VersionVector
    /// What the bundle does not have and its change sets follow: they wait in a store until it
    /// holds this, by another bundle or a sync. It is what was left out of the bundle, and what a
    /// sender that began with a snapshot of its zone has no change sets of.
    public let needs: VersionVector
    public let changeSetCount: Int
    public let byteCount: Int
    /// The key that it is sealed with; `nil` for plain text.
    public var sealingKey: BundleKeyID? { summary.seal?.key }

    private let summary: BundleFile.Summary
    private let keyRing: BundleKeyRing?

    /// Reads a bundle to its end and checks every byte of it.
    ///
    /// - Parameter keyRing: Opens a sealed bundle. With one, plain text is refused: anybody may
    ///   have put it in the place of what was sealed.
    /// - Throws: ``StoreError`` `cannotOpen`, `damagedBundle` with the offset, `newerFormat`,
    ///   `keyRequired`, `keyMissing`, `notSealed`.
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
        needs = summary.needs
        changeSetCount = summary.setCount
        byteCount = summary.byteCount
    }

    /// The change sets, in a causal order, each with a context that names all that its author
    /// held.
    ///
    /// - Throws: As ``init(contentsOf:)``, where the file has changed since, and what the body
    ///   throws.
    public func forEachChangeSet(_ body: (ChangeSet) throws -> Void) throws {
        let file = BundleFile(url.path, BundleOpening(keyRing), checked: summary)
        try file.forEachItem { item in
            if case .changeSet(let set) = item { try body(set) }
        }
    }
}

extension ChangeBundle {
    /// What whoever gets a bundle has already, so that it is left out.
    public struct Base: Sendable {
        let base: BundleBase

        /// The bundle gets everything.
        public static let nothing = Base(base: .nothing)

        /// What the sender of another bundle held: ask somebody for a bundle, and answer with
        /// what it lacks.
        ///
        /// - Parameter keyRing: Opens a sealed bundle. With one, plain text is refused: who puts it
        ///   in the place of what was sealed decides what is left out.
        /// - Throws: ``StoreError`` `cannotOpen`, `damagedBundle`, `newerFormat`, `keyRequired`,
        ///   `keyMissing`, `notSealed`.
        public static func sender(
            of url: URL, openedWith keyRing: BundleKeyRing? = nil
        ) throws -> Base {
            let file = BundleFile(url.path, BundleOpening(keyRing))
            return Base(base: BundleBase(senderOf: try file.check().header))
        }

        /// What a vector names, as `versionVector()` of the other store tells it.
        public static func vector(_ vector: VersionVector) -> Base {
            Base(base: BundleBase(vector))
        }

        /// What a replica held when it made the last of its saves that this store has: the least
        /// that it holds now.
        public static func replica(_ replica: ReplicaID) -> Base { Base(base: .replica(replica)) }
    }

    /// What came of taking in a bundle.
    public struct Outcome: Sendable {
        /// Change sets that were applied, with those that had waited for them.
        public let appliedCount: Int
        /// The bundle's change sets that the store had already.
        public let heldCount: Int
        /// Change sets, of this bundle or an earlier one, that wait in the store for others.
        public let waitingCount: Int
    }
}
