/// The rule `keepBoth`: the values of one property that no write has seen and replaced.
///
/// A write names the tags (stamps) of the values that it saw and takes those away; concurrent
/// writes have not seen each other, so their values stay side by side until someone writes who
/// has seen both. Shown is the value with the greatest stamp.
///
/// Sources: DeCandia et al., "Dynamo", SOSP 2007; Shapiro et al., "A comprehensive study of
/// Convergent and Commutative Replicated Data Types", INRIA RR-7506, 2011 (multi-value register).
public struct Siblings<Content> {
    public struct Sibling {
        public let stamp: Stamp
        public let content: Content

        public init(stamp: Stamp, content: Content) {
            self.stamp = stamp
            self.content = content
        }
    }

    /// In ascending order of stamps, each once.
    public private(set) var all: [Sibling] = []

    public init() {}

    /// - Parameter siblings: Of two with one stamp the first stays.
    public init(_ siblings: some Sequence<Sibling>) {
        for sibling in siblings { insert(sibling) }
    }

    /// The value that a reader sees; `nil` where the property was never written.
    public var shown: Sibling? { all.last }

    /// Whether there is a conflict that someone has to decide.
    public var isConflict: Bool { all.count > 1 }

    /// What a write that knows of all this names as seen.
    public var stamps: [Stamp] { all.map(\.stamp) }

    /// Puts a value in the place of those that its writer saw.
    ///
    /// - Returns: The values that went.
    @discardableResult
    public mutating func write(
        _ content: Content, stamp: Stamp, seeing seen: [Stamp]
    ) -> [Sibling] {
        // Both lists may be long where somebody means harm: never one times the other.
        let seen = Set(seen)
        let gone = all.filter { seen.contains($0.stamp) }
        if !gone.isEmpty { all.removeAll { seen.contains($0.stamp) } }
        insert(Sibling(stamp: stamp, content: content))
        return gone
    }

    private mutating func insert(_ sibling: Sibling) {
        let place = place(of: sibling.stamp)
        if place < all.endIndex, all[place].stamp == sibling.stamp { return }
        all.insert(sibling, at: place)
    }

    /// The index of the first that is not less, in logarithmic time.
    private func place(of stamp: Stamp) -> Int {
        var low = all.startIndex
        var high = all.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if all[middle].stamp < stamp { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Siblings: Sendable where Content: Sendable {}
extension Siblings.Sibling: Sendable where Content: Sendable {}
extension Siblings: Equatable where Content: Equatable {}
extension Siblings.Sibling: Equatable where Content: Equatable {}
