/// The options of a simulation.
struct ScaleOptions {
    var zones = 1_000_000
    var exponent = 1.0
    var databases = 1
    var size = CellSize()
    var costs = ScaleCosts()
    var seconds = 5.0
    var rates: [Int] = []
    var seed: UInt64 = 1
    var wantsHelp = false

    /// A mistake in the command line.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--help" || word == "-h" {
                wantsHelp = true
            } else {
                try read(word, &rest)
            }
        }
        if rates.isEmpty { rates = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000] }
    }

    private mutating func read(_ word: String, _ rest: inout ArraySlice<String>) throws {
        func number() throws -> Int {
            guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
                throw Mistake(description: "The option \(word) takes a number above zero.")
            }
            return value
        }
        func fraction() throws -> Double {
            let value = rest.popFirst().flatMap { Double($0) }
            guard let value, value > 0, value.isFinite else {
                throw Mistake(description: "The option \(word) takes a number above zero.")
            }
            return value
        }
        switch word {
        case "--zones": zones = try number()
        case "--exponent": exponent = try fraction()
        case "--databases": databases = try number()
        case "--database-cores": size.databaseCores = try number()
        case "--daemons": size.daemons = try number()
        case "--daemon-cores": size.daemonCores = try number()
        case "--seconds": seconds = try fraction()
        case "--rate": rates.append(try number())
        case "--seed": seed = UInt64(try number())
        case "--daemon-push": costs.daemonPush = try fraction() / 1e6
        case "--database-commit": costs.databaseCommit = try fraction() / 1e6
        case "--database-push": costs.databasePush = try fraction() / 1e6
        case "--flush": costs.flush = try fraction() / 1e6
        case "--network": costs.network = try fraction() / 1e6
        case "--round-trip": costs.roundTrip = try fraction() / 1e6
        default: throw Mistake(description: "There is no option \(word).")
        }
    }
}
