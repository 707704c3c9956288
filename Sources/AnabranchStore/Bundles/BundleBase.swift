package import AnabranchReplication

/// What whoever gets a bundle holds already, so that it need not be in the bundle.
package enum BundleBase: Sendable {
    /// The last set that is held of one replica.
    package struct Head: Hashable, Sendable {
        package var dot: Dot
        /// The first eight bytes of its origin; `nil` where only its name is known.
        package var originPrefix: UInt64?

        package init(dot: Dot, originPrefix: UInt64?) {
            self.dot = dot
            self.originPrefix = originPrefix
        }
    }

    case nothing
    case heads([Head])
    /// What a replica held when it made the last save of it that this file has.
    case replica(ReplicaID)
}

extension BundleBase {
    /// What the sender of a bundle held.
    package init(senderOf header: BundleHeader) {
        self = .heads(header.heads.map { Head(dot: $0.dot, originPrefix: $0.originPrefix) })
    }

    package init(_ vector: VersionVector) {
        self = .heads(vector.heads.map { Head(dot: $0, originPrefix: nil) })
    }
}
