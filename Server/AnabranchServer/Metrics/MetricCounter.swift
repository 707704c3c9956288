import Synchronization

/// A number that only grows, until the process ends.
package final class MetricCounter: MetricFamily {
    package let description: MetricDescription
    private let values = Mutex<[[String]: Double]>([:])

    package init(_ name: String, _ help: String, labels: [String] = []) {
        description = MetricDescription(name: name, help: help, type: "counter", labels: labels)
        if labels.isEmpty { values.withLock { $0[[]] = 0 } }
    }

    package func add(_ amount: Double = 1, _ labels: String...) {
        values.withLock { $0[labels, default: 0] += amount }
    }

    package func lines() -> [String] {
        values.withLock { $0 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { description.line($0.key, $0.value) }
    }
}
