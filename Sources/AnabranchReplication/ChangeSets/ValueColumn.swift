/// The values of one property in a block of rows, one for each record.
///
/// A column is read like an array of values, but a long run of nulls takes no memory in it. On the
/// wire such a run takes a few bytes, whatever its length, so a small change set may have columns
/// with millions of nulls. Finding a value takes logarithmic time in the number of these runs.
@usableFromInline package struct ValueColumn: Sendable {
    /// Consecutive nulls that are not stored.
    private struct Gap: Hashable, Sendable {
        var start: Int
        /// The row behind the last one.
        var end: Int
        /// The number of values that are stored for the rows before.
        var storedBefore: Int
    }

    /// The values outside of the gaps, in the order of their rows.
    ///
    /// Nulls are among them only in runs that are too short for a gap.
    @usableFromInline package private(set) var stored: [PropertyValue] = []
    /// The number of values, with all nulls.
    @usableFromInline package private(set) var count = 0
    /// The gaps in the order of their rows; never two that adjoin.
    private var gaps: [Gap] = []
    /// The number of nulls at the end, which become a gap or stored values with the next value.
    private var trailingNulls = 0

    /// The least length of a gap. A shorter run takes less memory as values, and is found faster.
    static let leastGap = 8

    package init() {}

    package init(_ values: some Sequence<PropertyValue>) {
        stored.reserveCapacity(values.underestimatedCount)
        for value in values { append(value) }
    }

    mutating func reserveCapacity(_ storedCount: Int) { stored.reserveCapacity(storedCount) }

    /// Appends the value of the next record.
    package mutating func append(_ value: PropertyValue) {
        guard !value.isNull else { return append(nulls: 1) }
        endNulls()
        stored.append(value)
        count += 1
    }

    /// Appends nulls for the next records.
    package mutating func append(nulls nullCount: Int) {
        precondition(nullCount >= 0, "a column can't have fewer than no nulls")
        trailingNulls += nullCount
        count += nullCount
    }

    /// Makes a gap or stored values of the nulls at the end, because another value follows.
    private mutating func endNulls() {
        guard trailingNulls > 0 else { return }
        if trailingNulls < Self.leastGap {
            stored.append(contentsOf: repeatElement(.null, count: trailingNulls))
        } else {
            gaps.append(Gap(start: count - trailingNulls, end: count, storedBefore: stored.count))
        }
        trailingNulls = 0
    }

    /// The index in ``stored`` of the value of a row; `nil` for a null that is not stored.
    @usableFromInline package func storedIndex(ofRow row: Int) -> Int? {
        precondition(row >= 0 && row < count, "a column has no value for this row")
        guard row < count - trailingNulls else { return nil }
        let later = gaps.partitioningIndex { $0.start > row }
        guard later > 0 else { return row }
        let gap = gaps[later - 1]
        return row < gap.end ? nil : row - gap.end + gap.storedBefore
    }

    /// Returns the column with each value replaced by another one. A null stays null.
    func mapNonNull(_ transform: (PropertyValue) -> PropertyValue) -> ValueColumn {
        var column = self
        for index in stored.indices where !stored[index].isNull {
            let value = transform(stored[index])
            precondition(!value.isNull, "a value that is not null must not become null")
            column.stored[index] = value
        }
        return column
    }
}

extension ValueColumn: RandomAccessCollection {
    @usableFromInline package var startIndex: Int { 0 }
    /// The row behind the last one.
    @usableFromInline package var endIndex: Int { count }

    @inlinable
    package subscript(row: Int) -> PropertyValue {
        // Without gaps and nulls at the end, the index of a value is its row.
        if stored.count == count { return stored[row] }
        return storedIndex(ofRow: row).map { stored[$0] } ?? .null
    }
}

// A column has one form for its values, so that two columns are equal if all they have is equal.
extension ValueColumn: Hashable {}

extension ValueColumn: ExpressibleByArrayLiteral {
    @usableFromInline package init(arrayLiteral values: PropertyValue...) { self.init(values) }
}
