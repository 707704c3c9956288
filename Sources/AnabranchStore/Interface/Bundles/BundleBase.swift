package import AnabranchReplication

/// The change sets that the receiver of a bundle already holds, so that the bundle omits them.
package enum BundleBase: Sendable {
    /// The last change set of one replica that the receiver holds.
    package struct Head: Hashable, Sendable {
        package var dot: Dot
        /// The first eight bytes of its origin; `nil` if only its dot is known.
        package var originPrefix: UInt64?

        package init(dot: Dot, originPrefix: UInt64?) {
            self.dot = dot
            self.originPrefix = originPrefix
        }
    }

    case nothing
    case heads([Head])
    /// The change sets that a replica held when it made its last save that this file has.
    case replica(ReplicaID)
}

extension BundleBase {
    /// The change sets that the sender of a bundle held.
    package init(senderOf header: BundleHeader) {
        self = .heads(header.heads.map { Head(dot: $0.dot, originPrefix: $0.originPrefix) })
    }

    package init(_ vector: VersionVector) {
        self = .heads(vector.heads.map { Head(dot: $0, originPrefix: nil) })
    }
}
