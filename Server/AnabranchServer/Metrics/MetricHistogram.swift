import Synchronization

/// The distribution of a number, as counts of values up to some bounds.
package final class MetricHistogram: MetricFamily {
    package let description: MetricDescription
    private struct Distribution {
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let values = Mutex<[[String]: Distribution]>([:])

    /// Creates a histogram.
    ///
    /// - Parameter bounds: The greatest values of the buckets, ascending.
    package init(
        _ name: String, _ help: String, labels: [String] = [], bounds: [Double] = seconds
    ) {
        self.bounds = bounds
        description = MetricDescription(
            name: name, help: help, type: "histogram", labels: labels)
    }

    /// Bounds for times in seconds, from a millisecond to ten seconds.
    package static let seconds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    package func record(_ value: Double, _ labels: String...) {
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        values.withLock { values in
            let none = Distribution(counts: Array(repeating: 0, count: bounds.count + 1))
            values[labels, default: none].counts[place] += 1
            values[labels, default: none].sum += value
        }
    }

    package func lines() -> [String] {
        values.withLock { $0 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .flatMap { labels, distribution in
                var total: UInt64 = 0
                var lines = zip(bounds + [.infinity], distribution.counts).map { bound, count in
                    total += count
                    return description.line(
                        suffix: "_bucket", labels,
                        and: [("le", MetricDescription.text(bound))], Double(total))
                }
                lines.append(description.line(suffix: "_sum", labels, distribution.sum))
                lines.append(description.line(suffix: "_count", labels, Double(total)))
                return lines
            }
    }
}
