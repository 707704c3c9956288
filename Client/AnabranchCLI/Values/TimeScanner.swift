/// Scans the text of a time from the left.
struct TimeScanner {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    /// - Parameter bytes: UTF-8; they must stay valid while the scanner is used.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    /// Scans a number of exactly `count` digits.
    mutating func digits(_ count: Int) -> Int? {
        guard rest.count >= count else { return nil }
        var number = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    private mutating func digit() -> Int? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
            return nil
        }
        rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    /// Scans the rest after a date: nothing, or a time of day with or without an offset.
    ///
    /// - Returns: The seconds of the day in UTC, which an offset can carry into the next or the
    ///   previous day.
    mutating func timeOfDay() -> (seconds: Int, fraction: Double)? {
        if rest.isEmpty { return (0, 0) }
        guard take("T") || take("t") || take(" "), let hour = digits(2), take(":"),
            let minute = digits(2), hour < 24, minute < 60
        else { return nil }
        var seconds = hour * 3600 + minute * 60
        var fraction = 0.0
        if take(":") {
            guard let second = digits(2), second < 60 else { return nil }
            seconds += second
            if take(".") {
                guard let read = fractionDigits() else { return nil }
                fraction = read
            }
        }
        guard let offset = offset(), rest.isEmpty else { return nil }
        return (seconds - offset, fraction)
    }

    private mutating func fractionDigits() -> Double? {
        var text = "0."
        while let digit = digit() { text += String(digit) }
        return text.count > 2 && text.count < 32 ? Double(text) : nil
    }

    /// Scans an offset, in seconds east of UTC.
    private mutating func offset() -> Int? {
        if rest.isEmpty || take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = digits(2) else { return nil }
        _ = take(":")
        guard let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
