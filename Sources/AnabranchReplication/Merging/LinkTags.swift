/// The tags of one link: one for every add that no remove has seen.
///
/// A link is there while it has a tag. A remove names the tags that it saw and takes away only
/// those, so an add that the remover had not seen survives, in whatever order the two arrive.
///
/// Source: Shapiro et al., "A comprehensive study of Convergent and Commutative Replicated Data
/// Types", INRIA RR-7506, 2011 (observed-remove set).
public struct LinkTags: Hashable, Sendable {
    /// In ascending order.
    public private(set) var tags: [Stamp]

    public init(_ tags: [Stamp] = []) { self.tags = tags.sorted() }

    public var isEmpty: Bool { tags.isEmpty }

    /// The tag that a link shows: the greatest.
    public var greatest: Stamp? { tags.last }

    /// - Returns: Whether the tag is new.
    @discardableResult
    public mutating func add(_ tag: Stamp) -> Bool {
        let place = tags.firstIndex { $0 >= tag } ?? tags.endIndex
        if place < tags.endIndex, tags[place] == tag { return false }
        tags.insert(tag, at: place)
        return true
    }

    /// - Returns: Whether a tag went.
    @discardableResult
    public mutating func remove(_ seen: [Stamp]) -> Bool {
        let count = tags.count
        tags.removeAll { seen.contains($0) }
        return tags.count < count
    }
}
