package import AnabranchReplication

/// The merge rules beyond `lastWriter` and sets.
extension ReferenceMerge {
    /// Returns whether a write wins against the held one.
    package func isBetter(
        _ new: (value: PropertyValue, stamp: Stamp), than held: (key: Stamp, value: PropertyValue),
        _ rule: MergeRule
    ) -> Bool {
        let isLater = held.key < new.stamp
        guard !mistakes.contains(.lastWriterOnly) else { return isLater }
        switch rule {
        case .firstWriter: return new.stamp < held.key
        case .max, .min:
            let ranks = (Self.rank(new.value), Self.rank(held.value))
            guard ranks.0 == ranks.1 else { return ranks.0 > ranks.1 }
            let sign = Self.compare(new.value, held.value) * (rule == .max ? 1 : -1)
            return sign == 0 ? isLater : sign > 0
        default: return isLater
        }
    }

    /// Returns the rank of a kind of value: null, NaN, numbers, texts.
    private static func rank(_ value: PropertyValue) -> Int {
        switch value {
        case .null: 0
        case .double(let number), .date(let number): number.isNaN ? 1 : 2
        default: 2
        }
    }

    private static func compare(_ left: PropertyValue, _ right: PropertyValue) -> Int {
        func sign<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
            left < right ? -1 : left > right ? 1 : 0
        }
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return sign(left ? 1 : 0, right ? 1 : 0)
        case (.integer(let left), .integer(let right)): return sign(left, right)
        case (.double(let left), .double(let right)): return sign(left, right)
        case (.date(let left), .date(let right)): return sign(left, right)
        case (.decimal(let left), .decimal(let right)): return sign(left.decimal, right.decimal)
        case (.string(let left), .string(let right)):
            let first = zip(left.utf8, right.utf8).first { $0 != $1 }
            return first.map { sign($0.0, $0.1) } ?? sign(left.utf8.count, right.utf8.count)
        default: return 0
        }
    }

    mutating func add(_ rows: RowBlock, _ stamp: Stamp) {
        for (row, id) in rows.records.enumerated() where takes(id, rows.entity) {
            for (column, property) in rows.properties.enumerated() {
                let delta = rows.columns[column][row]
                let held = records[id]?.cells[property]?.first
                let isReplaced = mistakes.contains(.replacesCounter)
                let sum = Self.sum(isReplaced ? .null : held?.value ?? .null, delta)
                records[id]?.cells[property] = [max(held?.key ?? stamp, stamp): sum]
            }
        }
    }

    /// Returns the sum. Integers wrap at 64 bits, decimals at half of 10^20.
    private static func sum(_ first: PropertyValue, _ second: PropertyValue) -> PropertyValue {
        switch (first, second) {
        case (.integer(let first), .integer(let second)): return .integer(first &+ second)
        case (.decimal(let first), .decimal(let second)):
            var sum = units(first) + units(second)
            while sum >= turn / 2 { sum -= turn }
            while sum < -turn / 2 { sum += turn }
            return ExactDecimal(digits: sum.magnitude, exponent: -18, isNegative: sum < 0)
                .map { .decimal($0) } ?? .null
        case (.null, _): return second
        default: return first
        }
    }

    /// The modulus 10^20 in units of 10^−18.
    private static let turn: Int128 = 100_000_000_000_000_000_000_000_000_000_000_000_000

    private static func units(_ number: ExactDecimal) -> Int128 {
        var units = Int128(number.digits)
        for _ in 0..<(Int(number.exponent) + 18) { units *= 10 }
        return number.isNegative ? -units : units
    }

    mutating func write(_ block: SiblingBlock, _ stamp: Stamp) {
        for write in block.writes where takes(write.record, block.entity) {
            var values = records[write.record]?.cells[block.property] ?? [:]
            let seesAll = mistakes.contains(.seesAllSiblings)
            for tag in seesAll ? Array(values.keys) : write.observedTags { values[tag] = nil }
            if values[stamp] == nil { values[stamp] = write.value }
            records[write.record]?.cells[block.property] = values
        }
    }

    mutating func delete(_ block: YieldingDeleteBlock) {
        for delete in block.deletes {
            guard let record = records[delete.record], record.entity == block.entity else {
                continue
            }
            let seen = mistakes.contains(.forgetsSeen) ? [] : record.seen ?? []
            records[delete.record]?.seen = seen.union(delete.stampsSeen)
        }
    }
}
