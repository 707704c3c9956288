/// The place of a link in the lists at its two ends, as one tag of the link states it.
///
/// A link has a position for each ordered side of its relationship and none for the other sides.
package struct LinkPosition: Hashable, Sendable {
    /// The position of the right end in the left end's list.
    package var inLeft: ListPosition?
    /// The position of the left end in the right end's list.
    package var inRight: ListPosition?

    /// The place of a link that is in no ordered list.
    package static let none = LinkPosition()

    package init(inLeft: ListPosition? = nil, inRight: ListPosition? = nil) {
        self.inLeft = inLeft
        self.inRight = inRight
    }

    /// The same place with left and right end exchanged.
    package var turned: LinkPosition { LinkPosition(inLeft: inRight, inRight: inLeft) }
}

extension LinkPosition {
    /// One bit for each side.
    static let allSides: UInt8 = 3

    /// One bit for each side on which at least one of the places has a position.
    static func flags(of places: [LinkPosition]) -> UInt8 {
        let inLeft: UInt8 = places.contains { $0.inLeft != nil } ? 1 : 0
        return inLeft | (places.contains { $0.inRight != nil } ? 2 : 0)
    }

    static func sides(_ flags: UInt8) -> [WritableKeyPath<LinkPosition, ListPosition?>] {
        (flags & 1 == 0 ? [] : [\LinkPosition.inLeft])
            + (flags & 2 == 0 ? [] : [\LinkPosition.inRight])
    }
}

extension ByteWriter {
    /// Appends both positions as blocks. A missing position is an empty block.
    package mutating func append(place: LinkPosition) {
        append(block: place.inLeft?.bytes ?? [])
        append(block: place.inRight?.bytes ?? [])
    }
}

extension ByteReader {
    /// Reads a place that `append(place:)` wrote.
    package mutating func readPlace() throws(ChangeSetDecodingError) -> LinkPosition {
        let inLeft = try readPosition()
        return LinkPosition(inLeft: inLeft, inRight: try readPosition())
    }

    mutating func readPosition() throws(ChangeSetDecodingError) -> ListPosition? {
        let bytes = try readBlock()
        guard !bytes.isEmpty else { return nil }
        guard let position = ListPosition(bytes: bytes) else {
            throw failure(.malformed, "a position in a list is malformed")
        }
        return position
    }
}
