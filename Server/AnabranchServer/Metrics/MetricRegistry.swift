import Synchronization

/// All metrics of a server, in the order in which they were added.
package final class MetricRegistry: Sendable {
    private let families = Mutex<[any MetricFamily]>([])

    package init() {}

    @discardableResult
    package func add<Family: MetricFamily>(_ family: Family) -> Family {
        families.withLock { $0.append(family) }
        return family
    }

    private static func text(of family: any MetricFamily) -> String {
        let lines = family.lines()
        guard !lines.isEmpty else { return "" }
        let name = family.description.name
        let comments = [
            "# HELP \(name) \(family.description.help)",
            "# TYPE \(name) \(family.description.type)",
        ]
        return (comments + lines).joined(separator: "\n") + "\n"
    }

    /// All metrics in the text format of Prometheus, version 0.0.4.
    package func text() -> String { families.withLock { $0 }.map(Self.text).joined() }
}
