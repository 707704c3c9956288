/// The counts and latencies of a simulation.
struct CellOutcome {
    var arrived = 0
    var commits = 0
    var flushes = 0
    /// The processor time that was used, in seconds.
    var daemonWork = 0.0
    var databaseWork = 0.0
    /// The seconds that each push took.
    private(set) var latencies: [Double] = []
    /// The same for the zone that is used most.
    private(set) var latenciesOfBusiest: [Double] = []

    mutating func add(_ latency: Double, of zone: Int) {
        latencies.append(latency)
        if zone == 0 { latenciesOfBusiest.append(latency) }
    }

    mutating func add(_ other: CellOutcome) {
        arrived += other.arrived
        commits += other.commits
        flushes += other.flushes
        daemonWork += other.daemonWork
        databaseWork += other.databaseWork
        latencies += other.latencies
        latenciesOfBusiest += other.latenciesOfBusiest
    }

    /// The latency that a portion of the pushes did not exceed, in milliseconds.
    func latency(_ portion: Double, ofBusiest: Bool = false) -> Double {
        let sorted = (ofBusiest ? latenciesOfBusiest : latencies).sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(Int(portion * Double(sorted.count)), sorted.count - 1)] * 1000
    }
}
