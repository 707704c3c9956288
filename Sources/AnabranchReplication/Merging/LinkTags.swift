/// The tags of one link: one for every add or move that no remove and no move has seen.
///
/// A link is there while it has a tag. A remove names the tags that it saw and takes away only
/// those, so an add that the remover had not seen survives, in whatever order the two arrive.
///
/// In an ordered relationship each tag has the link's place. A move takes away the tags that it
/// saw and adds one, so concurrent moves leave several tags of one link, and never two links; the
/// place of the greatest shows.
///
/// Sources: Shapiro et al., "A comprehensive study of Convergent and Commutative Replicated Data
/// Types", INRIA RR-7506, 2011 (observed-remove set); Kleppmann, "Moving Elements in List CRDTs",
/// PaPoC 2020.
public struct LinkTags: Hashable, Sendable {
    public struct Tag: Hashable, Sendable {
        public let stamp: Stamp
        public let place: LinkPlace

        public init(_ stamp: Stamp, at place: LinkPlace = .none) {
            self.stamp = stamp
            self.place = place
        }
    }

    /// In ascending order of stamps, each once.
    public private(set) var all: [Tag]

    public init(_ tags: [Stamp] = []) { self.init(placed: tags.map { Tag($0) }) }

    /// - Parameter tags: Of two with one stamp the first stays.
    public init(placed tags: [Tag]) {
        all = []
        all.reserveCapacity(tags.count)
        let sorted = tags.enumerated().sorted {
            $0.element.stamp != $1.element.stamp
                ? $0.element.stamp < $1.element.stamp : $0.offset < $1.offset
        }
        for (_, tag) in sorted where all.last?.stamp != tag.stamp { all.append(tag) }
    }

    /// In ascending order, each once.
    public var tags: [Stamp] { all.map(\.stamp) }

    public var isEmpty: Bool { all.isEmpty }

    /// The tag that a link shows: the greatest.
    public var greatest: Stamp? { all.last?.stamp }

    /// Where the link stands.
    public var place: LinkPlace { all.last?.place ?? .none }

    /// - Parameter place: Stays as it is where the tag is there already.
    /// - Returns: Whether the tag is new.
    @discardableResult
    public mutating func add(_ tag: Stamp, at place: LinkPlace = .none) -> Bool {
        let index = index(of: tag)
        if index < all.endIndex, all[index].stamp == tag { return false }
        all.insert(Tag(tag, at: place), at: index)
        return true
    }

    /// - Returns: Whether a tag went.
    @discardableResult
    public mutating func remove(_ seen: [Stamp]) -> Bool {
        let count = all.count
        if count <= 1 || seen.count <= 4 {
            all.removeAll { seen.contains($0.stamp) }
        } else {
            // Both lists may be long where somebody means harm: never one times the other.
            let seen = Set(seen)
            all.removeAll { seen.contains($0.stamp) }
        }
        return all.count < count
    }

    /// Takes away what a move saw, and gives the link its new place.
    ///
    /// - Returns: Whether anything changed.
    @discardableResult
    public mutating func move(_ seen: [Stamp], to place: LinkPlace, tag: Stamp) -> Bool {
        let isRemoved = remove(seen)
        return add(tag, at: place) || isRemoved
    }

    /// The index of the first tag that is not less, in logarithmic time.
    private func index(of tag: Stamp) -> Int {
        var low = all.startIndex
        var high = all.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if all[middle].stamp < tag { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ByteWriter {
    /// Each stamp, in a list with its place.
    mutating func append(_ tags: LinkTags, of property: WireProperty) {
        append(count: tags.all.count)
        for tag in tags.all {
            append(stamp: tag.stamp)
            if property.rule == .list { append(place: tag.place) }
        }
    }
}

extension ByteReader {
    /// Stamps in ascending order, each once, in a list each with its place.
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
