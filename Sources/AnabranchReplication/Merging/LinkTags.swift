/// The tags of one link: one for every add that no remove has seen.
///
/// A link is there while it has a tag. A remove names the tags that it saw and takes away only
/// those, so an add that the remover had not seen survives, in whatever order the two arrive.
///
/// Source: Shapiro et al., "A comprehensive study of Convergent and Commutative Replicated Data
/// Types", INRIA RR-7506, 2011 (observed-remove set).
public struct LinkTags: Hashable, Sendable {
    /// In ascending order, each once.
    public private(set) var tags: [Stamp]

    public init(_ tags: [Stamp] = []) {
        let sorted = tags.sorted()
        self.tags = sorted.indices.filter { $0 == 0 || sorted[$0 - 1] < sorted[$0] }
            .map { sorted[$0] }
    }

    public var isEmpty: Bool { tags.isEmpty }

    /// The tag that a link shows: the greatest.
    public var greatest: Stamp? { tags.last }

    /// - Returns: Whether the tag is new.
    @discardableResult
    public mutating func add(_ tag: Stamp) -> Bool {
        let place = place(of: tag)
        if place < tags.endIndex, tags[place] == tag { return false }
        tags.insert(tag, at: place)
        return true
    }

    /// - Returns: Whether a tag went.
    @discardableResult
    public mutating func remove(_ seen: [Stamp]) -> Bool {
        let count = tags.count
        if count <= 1 || seen.count <= 4 {
            tags.removeAll { seen.contains($0) }
        } else {
            // Both lists may be long where somebody means harm: never one times the other.
            let seen = Set(seen)
            tags.removeAll { seen.contains($0) }
        }
        return tags.count < count
    }

    /// The index of the first tag that is not less, in logarithmic time.
    private func place(of tag: Stamp) -> Int {
        var low = tags.startIndex
        var high = tags.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if tags[middle] < tag { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
