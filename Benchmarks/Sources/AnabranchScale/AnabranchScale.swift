import Foundation

/// Simulates zones by the million, from the measured costs of a push.
@main
struct AnabranchScale {
    static let usage = """
        Usage: AnabranchScale [OPTION N]...

        Simulates pushes into many zones, on databases with daemons before them. A few zones get
        most of the pushes. Prints a table: how long pushes take, and how busy everything is.

          --zones N            number of zones; 1000000
          --exponent X         how unequal they are: the zone of rank r has 1/r^X of the first; 1
          --databases N        number of databases, each with its daemons; 1
          --database-cores N   processor cores of a database; 8
          --daemons N          daemons before each database; 3
          --daemon-cores N     processor cores of a daemon; 4
          --seconds X          simulated time of each row; 5
          --rate N             pushes a second; may be given several times
          --seed N             another order of events; 1

        Measured costs in microseconds: --daemon-push, --database-commit, --database-push, --flush,
        --network, --round-trip.
        """

    static func main() {
        do {
            let options = try ScaleOptions(Array(CommandLine.arguments.dropFirst()))
            guard !options.wantsHelp else { return print(usage) }
            run(options)
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("AnabranchScale: \(error)\n".utf8))
            exit(64)
        }
    }

    private static func run(_ options: ScaleOptions) {
        let zones = ZipfZones(count: options.zones, exponent: options.exponent)
        print(
            "\(options.zones) zones, exponent \(options.exponent), \(options.databases) databases "
                + "of \(options.size.databaseCores) cores, \(options.size.daemons) daemons each "
                + "of \(options.size.daemonCores) cores; the busiest zone has "
                + String(format: "%.1f %% of the pushes", zones.share(0) * 100))
        let titles = [
            "pushes/s", "done", "p50", "p99", "p99, busiest zone", "databases", "busiest",
            "daemons", "pushes a commit",
        ]
        print("| " + titles.joined(separator: " | ") + " |")
        print("|" + String(repeating: "---|", count: titles.count))
        for rate in options.rates {
            print(ScaleRow(rate: rate, zones, options).text)
        }
    }
}

/// One rate of pushes, on all databases.
struct ScaleRow {
    let text: String

    init(rate: Int, _ zones: ZipfZones, _ options: ScaleOptions) {
        let members = Self.members(of: zones, databases: options.databases)
        var whole = CellOutcome()
        var busiest = 0.0
        let capacity = Double(options.size.databaseCores) * options.seconds
        for (number, shares) in members.enumerated() {
            var cell = CellSimulation(
                options.size, options.costs, seed: options.seed &* 1_000_003 &+ UInt64(number))
            cell.run(seconds: options.seconds, rate: Double(rate) * shares.total) { random in
                shares.zone(&random)
            }
            busiest = max(busiest, cell.outcome.databaseWork / capacity)
            whole.add(cell.outcome)
        }
        let databases = whole.databaseWork / capacity / Double(options.databases)
        let daemonCores = options.databases * options.size.daemons * options.size.daemonCores
        let daemons = whole.daemonWork / (Double(daemonCores) * options.seconds)
        let done = Double(whole.latencies.count) / Double(max(whole.arrived, 1))
        let group = Double(whole.latencies.count) / Double(max(whole.commits, 1))
        func percent(_ share: Double) -> String { String(format: "%.0f %%", share * 100) }
        func milliseconds(_ portion: Double, _ ofBusiest: Bool = false) -> String {
            String(format: "%.1f ms", whole.latency(portion, ofBusiest: ofBusiest))
        }
        let cells = [
            "\(rate)", percent(done), milliseconds(0.5), milliseconds(0.99),
            milliseconds(0.99, true), percent(databases), percent(busiest), percent(daemons),
            String(format: "%.1f", group),
        ]
        text = "| " + cells.joined(separator: " | ") + " |"
    }

    /// The zones of each database.
    private static func members(of zones: ZipfZones, databases: Int) -> [DatabaseZones] {
        var lists = [DatabaseZones](repeating: DatabaseZones(), count: databases)
        for zone in 0..<zones.count {
            let place = Int(SeededNumbers.mixed(UInt64(zone)) % UInt64(databases))
            lists[place].add(zone, share: zones.share(zone))
        }
        return lists
    }
}

/// The zones of one database, with their shares of all pushes.
struct DatabaseZones {
    private var zones: [Int] = []
    private var cumulative: [Double] = []

    /// The share of all pushes that go to this database.
    var total: Double { cumulative.last ?? 0 }

    mutating func add(_ zone: Int, share: Double) {
        zones.append(zone)
        cumulative.append(total + share)
    }

    /// A zone at random.
    func zone(_ random: inout some RandomNumberGenerator) -> Int {
        let target = Double.random(in: 0..<total, using: &random)
        var (low, high) = (0, zones.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] <= target { low = middle + 1 } else { high = middle }
        }
        return zones[low]
    }
}
