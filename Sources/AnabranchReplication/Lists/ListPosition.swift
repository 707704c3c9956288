/// The position of an element in an ordered relationship. Positions are byte strings; the lesser
/// one stands further ahead.
///
/// A position never changes; an element that moves gets a new one. Positions are generated so that
/// concurrent runs at one place do not interleave (see ``ListPositionGenerator``). They are
/// compared as unsigned bytes, the first byte first.
///
/// A position is a path of *steps*. The steps below one parent are ordered by their bytes. A step
/// consists of:
///
/// 1. the *block*, a signed number: a later block was begun behind the others, a negative one in
///    front of them;
/// 2. the *owner*: the first 6 bytes of the replica that began the block, and that alone adds to
///    it;
/// 3. the *turn*: the number of the owner's save and a number within the save. All bytes are
///    inverted if the element was put in front of the block's first element;
/// 4. the *side*: `0x40` if the next step is in front of this element, `0x80` if it is behind it or
///    if the path ends.
///
/// The bytes of a number are ordered like the numbers. A number n from 0 to 63 is the byte 128 + n.
/// A greater one is the byte 192 + count, then that many bytes, the most significant first. A
/// negative number is −1 − n with all bytes inverted.
///
/// Sources: Weidner, Kleppmann, "The Art of the Fugue: Minimizing Interleaving in Collaborative
/// Text Editing", 2023; Weiss, Urso, Molli, "Logoot", ICDCS 2009.
package struct ListPosition: Hashable, Sendable {
    /// The encoded path.
    package let bytes: [UInt8]

    /// Creates a position from its bytes.
    ///
    /// - Returns: `nil` if the bytes are no path of steps, or more than ``Limits/longestPosition``.
    ///   No further position might fit between such bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count <= Limits.longestPosition, ListStep.last(of: bytes) != nil else {
            return nil
        }
        self.bytes = bytes
    }

    init(made bytes: [UInt8]) { self.bytes = bytes }
}

extension ListPosition: Comparable {
    /// Orders positions by their bytes as unsigned numbers.
    package static func < (left: ListPosition, right: ListPosition) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension ListPosition: CustomStringConvertible {
    package var description: String { bytes.hexadecimal }
}
