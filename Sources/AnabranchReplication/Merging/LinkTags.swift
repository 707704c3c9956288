/// The tags of one link: one for each add or move that no remove or move has seen.
///
/// A link exists while it has a tag. A remove names the tags that its author saw and removes only
/// those. So an add that the author had not seen survives, in whatever order both arrive.
///
/// In an ordered relationship each tag has the link's place. A move removes the tags that its
/// author saw and adds one. So concurrent moves leave several tags of one link, and never two
/// links. The greatest tag's place is visible.
///
/// Sources: Shapiro et al., "A comprehensive study of Convergent and Commutative Replicated Data
/// Types", INRIA RR-7506, 2011 (observed-remove set); Kleppmann, "Moving Elements in List CRDTs",
/// PaPoC 2020.
package struct LinkTags: Hashable, Sendable {
    /// One tag of a link.
    package struct Tag: Hashable, Sendable {
        /// The stamp of the save that added the link or moved it.
        package let stamp: Stamp
        /// The place that this save gave the link; ``LinkPosition/none`` in an unordered
        /// relationship.
        package let place: LinkPosition

        package init(_ stamp: Stamp, at place: LinkPosition = .none) {
            self.stamp = stamp
            self.place = place
        }
    }

    /// The tags in ascending order of their stamps, each once.
    package private(set) var all: [Tag]

    package init(_ tags: [Stamp] = []) { self.init(placed: tags.map { Tag($0) }) }

    /// Creates tags with places.
    ///
    /// - Parameter tags: Tags in any order. Of two tags with one stamp the first is kept.
    package init(placed tags: [Tag]) {
        all = []
        all.reserveCapacity(tags.count)
        let sorted = tags.enumerated().sorted {
            $0.element.stamp != $1.element.stamp
                ? $0.element.stamp < $1.element.stamp : $0.offset < $1.offset
        }
        for (_, tag) in sorted where all.last?.stamp != tag.stamp { all.append(tag) }
    }

    /// The stamps of the tags in ascending order, each once.
    package var tags: [Stamp] { all.map(\.stamp) }

    /// Indicates whether the link has no tag, so that it does not exist.
    package var isEmpty: Bool { all.isEmpty }

    /// The greatest tag, which decides the link's visible place.
    package var greatest: Stamp? { all.last?.stamp }

    /// Adds a tag.
    ///
    /// - Parameter place: The place of the tag. If the tag exists already, its place stays as it
    ///   is.
    /// - Returns: `true` if the tag is new.
    @discardableResult
    package mutating func add(_ tag: Stamp, at place: LinkPosition = .none) -> Bool {
        let index = index(of: tag)
        if index < all.endIndex, all[index].stamp == tag { return false }
        all.insert(Tag(tag, at: place), at: index)
        return true
    }

    /// Removes the tags that an author saw.
    ///
    /// - Returns: `true` if a tag was removed.
    @discardableResult
    package mutating func remove(_ seen: [Stamp]) -> Bool {
        // Both lists may be long in hostile input, so their lengths are never multiplied, and the
        // tags are not read for removes that find none.
        let found = seen.filter(contains)
        guard !found.isEmpty else { return false }
        if found.count <= 4 {
            all.removeAll { found.contains($0.stamp) }
        } else {
            let found = Set(found)
            all.removeAll { found.contains($0.stamp) }
        }
        return true
    }

    /// Returns whether the link has a tag, in logarithmic time.
    package func contains(_ tag: Stamp) -> Bool {
        let index = index(of: tag)
        return index < all.endIndex && all[index].stamp == tag
    }

    /// Removes the tags that the author of a move saw, and adds one with the new place.
    ///
    /// - Returns: `true` if anything changed.
    @discardableResult
    package mutating func move(_ seen: [Stamp], to place: LinkPosition, tag: Stamp) -> Bool {
        let isRemoved = remove(seen)
        return add(tag, at: place) || isRemoved
    }

    /// The index of the first tag that is not less, in logarithmic time.
    private func index(of tag: Stamp) -> Int {
        all.partitioningIndex { $0.stamp >= tag }
    }
}

extension ByteWriter {
    /// Appends the stamp of each tag; under the rule `list` each with its place.
    mutating func append(_ tags: LinkTags, of property: WireProperty) {
        append(count: tags.all.count)
        for tag in tags.all {
            append(stamp: tag.stamp)
            if property.rule == .list { append(place: tag.place) }
        }
    }
}

extension ByteReader {
    /// Reads stamps in ascending order, each once; under the rule `list` each with its place.
    mutating func readLinkTags(
        of property: WireProperty? = nil
    ) throws(ChangeSetDecodingError) -> LinkTags {
        var tags: [LinkTags.Tag] = []
        for _ in 0..<(try readCount(ofAtLeast: 24)) {
            let stamp = try readStamp()
            guard tags.last.map({ $0.stamp < stamp }) ?? true else {
                throw failure(.malformed, "stamps are not in ascending order")
            }
            tags.append(.init(stamp, at: property?.rule == .list ? try readPlace() : .none))
        }
        return LinkTags(placed: tags)
    }
}
