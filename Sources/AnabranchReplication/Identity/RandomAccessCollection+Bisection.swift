extension RandomAccessCollection {
    /// The index of the first element that satisfies a condition, in logarithmic time.
    ///
    /// - Parameter isBehind: A condition that holds for no element before one for which it does not
    ///   hold.
    /// - Returns: `endIndex` if no element satisfies the condition.
    @inlinable
    package func partitioningIndex(where isBehind: (Element) throws -> Bool) rethrows -> Index {
        var low = startIndex
        var length = count
        while length > 0 {
            let half = length / 2
            let middle = index(low, offsetBy: half)
            if try isBehind(self[middle]) {
                length = half
            } else {
                low = index(after: middle)
                length -= half + 1
            }
        }
        return low
    }
}
