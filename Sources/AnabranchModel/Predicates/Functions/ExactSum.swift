/// The sum of doubles, rounded once.
///
/// The sum does not depend on the order of the numbers, so a store, which finds them in any order,
/// and a context compute the same. The method is that of Shewchuk ("Adaptive Precision
/// Floating-Point Arithmetic", 1997): the parts add up to the exact sum.
struct ExactSum {
    /// Parts of increasing size that do not overlap.
    private var parts: [Double] = []
    /// The sum of the numbers that are not finite.
    private var special = 0.0
    /// True if a finite sum was beyond the range.
    private var hasOverflow = false

    mutating func add(_ number: Double) {
        guard number.isFinite else {
            special += number
            return
        }
        var carried = number
        var count = 0
        for part in parts {
            let (large, small) =
                carried.magnitude < part.magnitude ? (part, carried) : (carried, part)
            let sum = large + small
            let rest = small - (sum - large)
            if rest != 0 {
                parts[count] = rest
                count += 1
            }
            carried = sum
        }
        if !carried.isFinite { hasOverflow = true }
        parts.removeSubrange(count...)
        parts.append(carried)
    }

    /// Adds an integer exactly.
    mutating func add(_ number: Int128) {
        let high = Double(number)
        add(high)
        add(Double(number - Int128(high)))
    }

    /// The sum; NaN if the numbers had no sum.
    var result: Double {
        if special != 0 { return special }
        if hasOverflow { return parts.reduce(0, +) }
        var rest = parts[...]
        guard var sum = rest.popLast() else { return 0 }
        var small = 0.0
        while let part = rest.popLast() {
            let large = sum
            sum = large + part
            small = part - (sum - large)
            if small != 0 { break }
        }
        // Rounds a half in the direction of the parts that are left.
        if let next = rest.last, (small < 0) == (next < 0), small != 0 {
            let double = small * 2
            let rounded = sum + double
            if double == rounded - sum { sum = rounded }
        }
        return sum
    }
}
