import AnabranchProtocol
import AnabranchReplication
import Foundation

extension ServerMetrics {
    /// The greatest number of lines with the lag of one replica.
    private static let maximumReplicaLines = 1000

    /// Adds the numbers that a running server can read.
    package func addGauges(
        zones: OpenZones, backEnd: any BackEnd, streams: @escaping @Sendable () -> Int
    ) {
        registry.add(
            MetricGauge("anabranch_event_streams", "Open event streams.") { Double(streams()) })
        registry.add(
            MetricGauge("anabranch_zones_open", "Zones that are open.") { Double(zones.count) })
        registry.add(
            MetricGauge("anabranch_zones_failing", "Zones that can't be read or written.") {
                Double(zones.health.count)
            })
        registry.add(
            MetricGauge("anabranch_pushes_waiting", "Pushes that wait for a transaction.") {
                Double(zones.opened.reduce(0) { $0 + $1.waitingPushes })
            })
        registry.add(
            MetricGauge(
                "anabranch_zone_position", "The position of the last entry of an open zone's log.",
                labels: ["zone"]
            ) {
                zones.opened.compactMap { zone in
                    (try? zone.head()).map { ([zone.name.string], Double($0.position)) }
                }
            })
        registry.add(
            MetricGauge(
                "anabranch_zone_bytes", "Bytes of an open zone on the disk, where a file has them.",
                labels: ["zone"]
            ) {
                zones.opened.compactMap { zone in
                    zone.byteCount.map { ([zone.name.string], Double($0)) }
                }
            })
        registry.add(
            MetricGauge(
                "anabranch_replica_lag_entries",
                "Entries of the log that a replica of an open zone has not acknowledged.",
                labels: ["zone", "replica"]
            ) {
                Array(zones.opened.lazy.flatMap(Self.lags).prefix(Self.maximumReplicaLines))
            })
        registry.add(
            MetricGauge(
                "anabranch_database_connections", "Connections to the database.",
                labels: ["state"]
            ) {
                guard let counts = backEnd.databaseConnections else { return [] }
                return [
                    (["idle"], Double(counts.idle)), (["busy"], Double(counts.open - counts.idle)),
                ]
            })
        registry.add(
            MetricGauge("process_resident_memory_bytes", "Memory of the process.") {
                Double(ProcessStatus.residentBytes)
            })
        registry.add(
            MetricGauge("process_open_fds", "Open file descriptors of the process.") {
                Double(ProcessStatus.descriptorCount)
            })
        registry.add(
            MetricGauge(
                "anabranch_temporary_free_bytes", "Free bytes of the disk of temporary files."
            ) { FileManager.default.temporaryDirectory.freeBytes.map { [([], Double($0))] } ?? [] })
    }

    private static func lags(of zone: ZoneService) -> [(labels: [String], value: Double)] {
        (zone.lags ?? [:]).sorted { $0.key < $1.key }
            .map { ([zone.name.string, $0.key.description], Double($0.value)) }
    }
}

/// The process, as Linux describes it; zeros elsewhere.
private enum ProcessStatus {
    static var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    static var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}
