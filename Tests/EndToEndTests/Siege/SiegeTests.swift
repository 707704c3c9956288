import Foundation
import TestSupport
import Testing

/// Tests of a daemon that is attacked in every way that costs more than it says, while two clients
/// sync through it.
///
/// `Scripts/siege` runs it for `ANABRANCH_SIEGE_MINUTES` minutes, with zones in PostgreSQL if
/// `ANABRANCH_SIEGE_STORE` is `postgres`, and then checks the times of exchanges too.
@Suite(.waiting, .enabled(if: HookUnderTest.canRun, "there is no Python for the hook"))
struct `A daemon under siege` {
    static let environment = ProcessInfo.processInfo.environment
    static let minutes = environment["ANABRANCH_SIEGE_MINUTES"].flatMap(Double.init)
    static let usesDatabase = environment["ANABRANCH_SIEGE_STORE"] == "postgres"
    static let seed =
        environment["ANABRANCH_SEED"].flatMap { UInt64($0) }
        ?? UInt64(Date().timeIntervalSince1970 * 1000)

    static let seconds: Double =
        if let minutes {
            minutes * 60
        } else {
            switch TestLength.current {
            case .quick: 5
            case .usual, .long: 60
            }
        }

    private static let mebibyte = 1 << 20
    /// The memory of the daemon beside its budget. A debug build is slower, so more of what was
    /// freed has not been given back yet, and more requests run at once beside other tests. Runs of
    /// all tests on two processors have measured 123 MiB.
    private static let rest = (minutes == nil ? 400 : 150) * mebibyte
    /// The memory that may stay ten seconds after the siege.
    private static let remainder = 60 * mebibyte
    private static let quietSeconds = min(20, seconds / 3)
    private static let restarts = 5
    /// The longest time of a stop in seconds. The daemon ends after five, and other tests may delay
    /// its process.
    private static let longestStop = minutes == nil ? 8 : 5.5

    @Test func `serves its clients, keeps its limits, and stops in time`() async throws {
        let world = try SiegeWorld(
            on: Self.usesDatabase ? PostgreSQLCluster() : nil,
            divisor: Self.minutes == nil ? 4 : 1)
        defer { world.end() }
        let quiet = try await world.clients.exchange(seconds: Self.quietSeconds)
        let resident = world.daemon.residentBytes
        expectAttacks(on: world.target)
        let siege = Siege(of: world.target, seed: Self.seed)
        let busy = try await world.clients.exchange(seconds: Self.seconds)
        let counts = siege.lift()
        let peak = world.daemon.peakBytes
        #expect(peak < SiegeWorld.budget + Self.rest, "\(peak / Self.mebibyte) MiB")
        try await Task.sleep(for: .seconds(10))
        let remaining = world.daemon.residentBytes - resident
        #expect(remaining < Self.remainder, "\(remaining / Self.mebibyte) MiB stayed")
        try world.expectQuotas()
        let stops = try (0..<Self.restarts).map { try world.restart(seed: Self.seed + UInt64($0)) }
        try await world.clients.expectNothingLost(in: world.daemon)
        #expect(stops.allSatisfy { $0 < Self.longestStop }, "\(stops)")
        // A run of all tests has no limit of time: an exchange then waits for the processors that
        // the other tests use, too, and a debug build is several times slower.
        if Self.minutes != nil {
            #expect(
                busy.slowest < min(2, quiet.slowest * 10), "\(busy) under siege, \(quiet) before")
        }
        report(quiet, busy, stops, counts, peak: peak, remaining: remaining)
    }

    /// Expects that each attack can be carried out. Under siege their zone is soon full and refuses
    /// some of them.
    private func expectAttacks(on target: SiegeTarget) {
        var generator = SeededGenerator(seed: Self.seed)
        for attack in SiegeAttack.all {
            #expect(throws: Never.self, "\(attack.name)") {
                try attack.carryOut(on: target, &generator)
            }
        }
    }

    private func report(
        _ quiet: HonestClients.Times, _ busy: HonestClients.Times, _ stops: [Double],
        _ counts: [String: Siege.Count], peak: Int, remaining: Int
    ) {
        let slowestStop = String(format: "%.1f", stops.max() ?? 0)
        print(
            "siege: seed \(Self.seed), \(Int(Self.seconds)) s; quiet: \(quiet); under siege: "
                + "\(busy); memory at most \(peak / Self.mebibyte) MiB, "
                + "\(remaining / Self.mebibyte) MiB more after it than before; slowest stop "
                + "\(slowestStop) s")
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            print("siege: \(name): \(count)")
        }
    }
}
