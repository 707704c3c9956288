import Foundation

/// How the work of a request grows when its input is doubled three times.
package enum Growth {
    /// The greatest factor of a doubling. It is 2 for linear work, and 4 for quadratic work.
    package static let limit = 2.5

    /// The number of doublings.
    private static let doublings = 3
    /// The greatest number of measurements of a size, of which the least counts.
    private static let attempts = 12
    /// The microseconds as which a shorter time counts: it says more of what is fixed in the work,
    /// and of other programs, than of its input.
    private static let leastMicroseconds = 500.0

    /// Measures a piece of work with an input of some size, and with inputs of two, four and eight
    /// times that size.
    ///
    /// The processor time of the thread is measured, and again if it grows too fast. So other tests
    /// and programs hardly matter.
    ///
    /// - Parameter prepare: Makes everything that the work of a size needs, and returns the work.
    ///
    /// - Returns: The greatest factor by which the time grows in one of the three doublings.
    package static func factor(
        from size: Int, _ prepare: (Int) throws -> () throws -> Void
    ) throws -> Double {
        var times = [Double](repeating: .infinity, count: doublings + 1)
        var factor = Double.infinity
        for _ in 0..<attempts where factor >= limit {
            for doubling in times.indices {
                let work = try prepare(size << doubling)
                let time = try ThreadTime.measure(work) / .microseconds(1)
                times[doubling] = min(times[doubling], time)
            }
            let counted = times.map { max($0, leastMicroseconds) }
            factor = zip(counted, counted.dropFirst()).map { $1 / $0 }.max() ?? 0
        }
        return factor
    }
}
