/// Scans the text of a time from the left.
///
/// A function that returns `nil` or false may have consumed a part of the text: the text is then
/// refused as a whole.
struct TimeScanner {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    /// - Parameter bytes: UTF-8; they must stay valid while the scanner is used.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    mutating func take(_ bytes: [UInt8]) -> Bool {
        guard rest.starts(with: bytes) else { return false }
        rest.removeFirst(bytes.count)
        return true
    }

    /// Scans a number, as many digits as there are within the given counts.
    mutating func number(_ counts: ClosedRange<Int>) -> Int? {
        var number = 0
        var count = 0
        while count < counts.upperBound, let digit = digit() {
            number = number * 10 + digit
            count += 1
        }
        return count >= counts.lowerBound ? number : nil
    }

    /// Scans a number of exactly `count` digits.
    mutating func digits(_ count: Int) -> Int? { number(count...count) }

    private var isAtDigit: Bool {
        rest.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    private mutating func digit() -> Int? {
        guard isAtDigit, let byte = rest.popFirst() else { return nil }
        return Int(byte - UInt8(ascii: "0"))
    }

    /// Scans the digits of a second's fraction, at most 30.
    mutating func fraction() -> String? {
        var text = ""
        while let digit = digit() { text += String(digit) }
        return (1...30).contains(text.count) ? text : nil
    }

    /// Scans ASCII letters.
    mutating func word() -> String {
        let letters = rest.prefix { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        rest.removeFirst(letters.count)
        return String(decoding: letters, as: UTF8.self)
    }

    /// Scans the offset of a time zone: `Z`, `+02:00`, `+0200` or `+02`.
    ///
    /// - Returns: Seconds east of UTC.
    mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = digits(2) else { return nil }
        let hasMinutes = take(":") || isAtDigit
        guard let minutes = hasMinutes ? digits(2) : 0, hours < 24, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
