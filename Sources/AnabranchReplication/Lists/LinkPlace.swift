/// Where a link stands in the lists at its two ends, as one tag of it says.
///
/// A link has a position for each ordered side of its relationship, none for the others.
public struct LinkPlace: Hashable, Sendable {
    /// Of the right end in the left end's list.
    public var inLeft: ListPosition?
    /// Of the left end in the right end's list.
    public var inRight: ListPosition?

    public static let none = LinkPlace()

    public init(inLeft: ListPosition? = nil, inRight: ListPosition? = nil) {
        self.inLeft = inLeft
        self.inRight = inRight
    }

    /// The same with the ends the other way round.
    public var turned: LinkPlace { LinkPlace(inLeft: inRight, inRight: inLeft) }
}

extension LinkPlace {
    /// One bit a side.
    static let allSides: UInt8 = 3

    /// The sides on which one of the places has a position.
    static func flags(of places: [LinkPlace]) -> UInt8 {
        let inLeft: UInt8 = places.contains { $0.inLeft != nil } ? 1 : 0
        return inLeft | (places.contains { $0.inRight != nil } ? 2 : 0)
    }

    static func sides(_ flags: UInt8) -> [WritableKeyPath<LinkPlace, ListPosition?>] {
        (flags & 1 == 0 ? [] : [\LinkPlace.inLeft]) + (flags & 2 == 0 ? [] : [\LinkPlace.inRight])
    }
}

extension ByteWriter {
    /// Both positions as blocks, one that is not there as an empty one.
    public mutating func append(place: LinkPlace) {
        append(block: place.inLeft?.bytes ?? [])
        append(block: place.inRight?.bytes ?? [])
    }
}

extension ByteReader {
    public mutating func readPlace() throws(ChangeSetDecodingError) -> LinkPlace {
        let inLeft = try readPosition()
        return LinkPlace(inLeft: inLeft, inRight: try readPosition())
    }

    mutating func readPosition() throws(ChangeSetDecodingError) -> ListPosition? {
        let bytes = try readBlock()
        guard !bytes.isEmpty else { return nil }
        guard let position = ListPosition(bytes: bytes) else {
            throw failure(.malformed, "a position in a list is no path of steps")
        }
        return position
    }
}
