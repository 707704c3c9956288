/// Where an element stands in an ordered relationship: byte strings, the less the further ahead.
///
/// A position never changes; an element that moves gets another one. Positions are made so that
/// concurrent runs at one place do not interleave (``ListPositionMaker`` says how), and compared
/// by their bytes alone, as unsigned numbers, the first first.
///
/// A position is a path of *steps*. Each step stands among the steps below the same parent, and
/// is:
///
/// 1. the *block*, a signed number: later blocks were begun behind, negative ones in front;
/// 2. the *owner*, the first 6 bytes of the replica that began the block and alone adds to it;
/// 3. the *turn*: two numbers, those of the owner's save and of the place in it, as they are for
///    what was put behind the block's first element, all bytes inverted for what was put in front;
/// 4. the *side*: `0x40` where the next step is one in front of this element, `0x80` where it is
///    one behind it, and at the end of the path.
///
/// Numbers are written so that their bytes have their order: one from 0 to 63 is the byte 128 + n,
/// a greater one 192 + the count of its bytes, which follow, the most significant first; a
/// negative one is −1 − n with all bytes inverted.
///
/// Sources: Weidner, Kleppmann, "The Art of the Fugue: Minimizing Interleaving in Collaborative
/// Text Editing", 2023; Weiss, Urso, Molli, "Logoot", ICDCS 2009.
public struct ListPosition: Hashable, Sendable {
    public let bytes: [UInt8]

    /// - Returns: `nil` for bytes that are no path of steps, or more than
    ///   ``Limits/longestPosition``: between such bytes there may be no room for anything.
    public init?(bytes: [UInt8]) {
        guard bytes.count <= Limits.longestPosition, ListStep.last(of: bytes) != nil else {
            return nil
        }
        self.bytes = bytes
    }

    init(made bytes: [UInt8]) { self.bytes = bytes }
}

extension ListPosition: Comparable {
    public static func < (left: ListPosition, right: ListPosition) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension ListPosition: CustomStringConvertible {
    public var description: String { bytes.hexadecimal }
}
