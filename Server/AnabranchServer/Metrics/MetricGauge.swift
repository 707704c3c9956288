/// A number that is read at the moment at which it is asked for.
///
/// It may fall, unless it is made as a counter.
package final class MetricGauge: MetricFamily {
    package let description: MetricDescription
    private let read: @Sendable () -> [(labels: [String], value: Double)]

    package init(
        _ name: String, _ help: String, labels: [String] = [],
        type: String = "gauge",
        read: @escaping @Sendable () -> [(labels: [String], value: Double)]
    ) {
        self.read = read
        description = MetricDescription(name: name, help: help, type: type, labels: labels)
    }

    package convenience init(
        _ name: String, _ help: String, value: @escaping @Sendable () -> Double
    ) {
        self.init(name, help) { [([], value())] }
    }

    /// Creates a counter without labels of a number that another part of the program keeps.
    package convenience init(
        counting name: String, _ help: String, value: @escaping @Sendable () -> Double
    ) {
        self.init(name, help, type: "counter") { [([], value())] }
    }

    package func lines() -> [String] { read().map { description.line($0.labels, $0.value) } }
}
