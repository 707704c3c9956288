/// The merge rule `keepBoth`: the values of one property that no write has seen and replaced.
///
/// A write names the stamps of the values that its author saw, and removes those. Concurrent writes
/// have not seen each other, so their values stay beside each other until a write replaces both.
/// The value with the greatest stamp is visible.
///
/// Sources: DeCandia et al., "Dynamo", SOSP 2007; Shapiro et al., "A comprehensive study of
/// Convergent and Commutative Replicated Data Types", INRIA RR-7506, 2011 (multi-value register).
package struct Siblings<Content> {
    /// One value of the property.
    package struct Sibling {
        package let stamp: Stamp
        /// The value, in the form that the caller keeps.
        package let content: Content

        package init(stamp: Stamp, content: Content) {
            self.stamp = stamp
            self.content = content
        }
    }

    /// The values in ascending order of their stamps, each once.
    package private(set) var all: [Sibling] = []

    /// Creates a property with these values.
    ///
    /// - Parameter siblings: Values in any order. Of two with one stamp the first is kept.
    package init(_ siblings: some Sequence<Sibling>) {
        for sibling in siblings { insert(sibling) }
    }

    /// Adds a value and removes those that its author saw.
    ///
    /// - Returns: The values that were removed.
    @discardableResult
    package mutating func write(
        _ content: Content, stamp: Stamp, seeing seen: [Stamp]
    ) -> [Sibling] {
        // Both lists may be long in hostile input, so their lengths are never multiplied, and the
        // held values are not read for writes that remove none.
        let seen = Set(seen.filter(contains))
        let gone = seen.isEmpty ? [] : all.filter { seen.contains($0.stamp) }
        if !gone.isEmpty { all.removeAll { seen.contains($0.stamp) } }
        insert(Sibling(stamp: stamp, content: content))
        return gone
    }

    private func contains(_ stamp: Stamp) -> Bool {
        let place = place(of: stamp)
        return place < all.endIndex && all[place].stamp == stamp
    }

    private mutating func insert(_ sibling: Sibling) {
        let place = place(of: sibling.stamp)
        if place < all.endIndex, all[place].stamp == sibling.stamp { return }
        all.insert(sibling, at: place)
    }

    /// The index of the first value that is not less, in logarithmic time.
    private func place(of stamp: Stamp) -> Int {
        all.partitioningIndex { $0.stamp >= stamp }
    }
}

extension Siblings: Sendable where Content: Sendable {}
extension Siblings.Sibling: Sendable where Content: Sendable {}
extension Siblings: Equatable where Content: Equatable {}
extension Siblings.Sibling: Equatable where Content: Equatable {}
