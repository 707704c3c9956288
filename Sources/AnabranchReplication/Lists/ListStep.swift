/// The last step of a position, decoded.
struct ListStep {
    enum Side {
        static let front: UInt8 = 0x40
        static let back: UInt8 = 0x80
    }

    static let ownerLength = 6

    /// The bytes of the whole position.
    let bytes: [UInt8]
    /// The length of the parent's bytes. Steps with equal parents are siblings.
    let parentLength: Int
    let block: Int64
    /// The length of the bytes up to and including the block and its owner.
    let blockLength: Int
    /// The number of the save, and the number within the save.
    let turn: (UInt64, UInt64)
    let isInFront: Bool

    var parent: ArraySlice<UInt8> { bytes[..<parentLength] }
    /// The parent, the block and its owner: the prefix of all elements in the block.
    var blockPrefix: ArraySlice<UInt8> { bytes[..<blockLength] }
    var owner: ArraySlice<UInt8> { bytes[(blockLength - Self.ownerLength)..<blockLength] }
    /// All bytes except the side.
    var stem: ArraySlice<UInt8> { bytes.dropLast() }

    /// Decodes the last step of a position.
    ///
    /// - Returns: `nil` if the bytes are no path of complete steps.
    static func last(of bytes: [UInt8]) -> ListStep? {
        var place = 0
        var parentLength = 0
        while let step = read(bytes, from: &place, parentLength: parentLength) {
            guard place < bytes.count else { return nil }
            let side = bytes[place]
            place += 1
            guard side == Side.front || side == Side.back else { return nil }
            if place == bytes.count { return side == Side.back ? step : nil }
            parentLength = place
        }
        return nil
    }

    private static func read(
        _ bytes: [UInt8], from place: inout Int, parentLength: Int
    ) -> ListStep? {
        guard let block = OrderedNumber.read(bytes, from: &place),
            place + ownerLength < bytes.count
        else { return nil }
        place += ownerLength
        let blockLength = place
        let isInFront = bytes[place] < 0x80
        guard let save = OrderedNumber.read(bytes, from: &place),
            let index = OrderedNumber.read(bytes, from: &place),
            (save < 0) == isInFront, (index < 0) == isInFront
        else { return nil }
        return ListStep(
            bytes: bytes, parentLength: parentLength, block: block, blockLength: blockLength,
            turn: (magnitude(save), magnitude(index)), isInFront: isInFront)
    }

    private static func magnitude(_ number: Int64) -> UInt64 {
        UInt64(number < 0 ? -1 - number : number)
    }
}

/// Numbers in an encoding with bytes in the order of the numbers.
enum OrderedNumber {
    private static let firstLong: UInt8 = 0xC0

    static func append(_ number: Int64, to bytes: inout [UInt8]) {
        let start = bytes.count
        let magnitude = UInt64(number < 0 ? -1 - number : number)
        if magnitude < 64 {
            bytes.append(0x80 | UInt8(magnitude))
        } else {
            let length = 8 - magnitude.leadingZeroBitCount / 8
            bytes.append(firstLong + UInt8(length))
            for index in (0..<length).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: magnitude >> UInt64(index * 8)))
            }
        }
        if number < 0 { for place in start..<bytes.count { bytes[place] = ~bytes[place] } }
    }

    /// Reads a number.
    ///
    /// - Returns: `nil` if the bytes end, or are not in the form that `append(_:to:)` writes.
    static func read(_ bytes: [UInt8], from place: inout Int) -> Int64? {
        guard place < bytes.count else { return nil }
        let inversion: UInt8 = bytes[place] < 0x80 ? 0xFF : 0
        let first = bytes[place] ^ inversion
        place += 1
        var magnitude = UInt64(first & 0x3F)
        if first > firstLong {
            let length = Int(first - firstLong)
            guard length <= 8, place + length <= bytes.count else { return nil }
            magnitude = 0
            for byte in bytes[place..<place + length] {
                magnitude = magnitude << 8 | UInt64(byte ^ inversion)
            }
            place += length
            guard magnitude >= 64, length == 8 - magnitude.leadingZeroBitCount / 8,
                magnitude < 1 << 62
            else { return nil }
        } else if first == firstLong {
            return nil
        }
        return inversion == 0 ? Int64(magnitude) : -1 - Int64(magnitude)
    }
}
