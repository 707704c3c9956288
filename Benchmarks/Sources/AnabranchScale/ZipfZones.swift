/// Zones by their share of all pushes: the zone of rank `r` has a share in proportion to
/// `1 / r^exponent`.
struct ZipfZones {
    let count: Int
    private let cumulative: [Double]

    /// - Parameter count: At least one.
    init(count: Int, exponent: Double) {
        self.count = count
        var sum = 0.0
        var cumulative: [Double] = []
        cumulative.reserveCapacity(count)
        for rank in 1...count {
            sum += Power.of(Double(rank), -exponent)
            cumulative.append(sum)
        }
        self.cumulative = cumulative
    }

    /// The share of a zone, from 0 to 1. The most used zone is 0.
    func share(_ zone: Int) -> Double {
        (cumulative[zone] - (zone == 0 ? 0 : cumulative[zone - 1])) / cumulative[count - 1]
    }
}

/// A generator that repeats its numbers for one seed.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// Spreads a number over all 64 bits; zones are spread over databases by it.
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
