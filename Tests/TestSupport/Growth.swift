import Foundation

/// How the work of a request grows when its input is doubled three times.
public enum Growth {
    /// The greatest factor of a doubling. It is 2 for linear work, and 4 for quadratic work.
    public static let limit = 2.5

    /// Measures a piece of work with an input of some size, and with one eight times as large.
    ///
    /// The processor time of the thread is measured, three times for each size, of which the least
    /// counts. So other tests and programs hardly matter.
    ///
    /// - Parameter prepare: Makes everything that the work of a size needs, and returns the work.
    ///
    /// - Returns: The mean factor by which the time grows in each of the three doublings.
    public static func factor(
        from size: Int, _ prepare: (Int) throws -> () throws -> Void
    ) throws -> Double {
        let times = try [size, 8 * size].map { size in
            try (0..<3).map { _ in
                let work = try prepare(size)
                return try ThreadTime.measure(work) / .microseconds(1)
            }.min() ?? 0
        }
        return cbrt(times[1] / max(times[0], 1))
    }
}
