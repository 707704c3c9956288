import TestSupport

/// One run as a list of steps, each with randomness of its own: a list that lacks some of them is
/// a scenario too, in which the others do what they did.
package struct Scenario: Sendable {
    let seed: UInt64
    var traits: WorldTraits
    package internal(set) var steps: [Step]

    /// Whether replicas also give each other files, past the zone. It is drawn from nothing, so
    /// that what all other worlds do does not depend on it.
    ///
    /// Where files can't be told apart and snapshots stand for parts of the logs, a bundle's set
    /// may name a branch of a fork of which nobody can tell that it is not the snapshot's.
    var hasBundles: Bool { seed % 8 == 7 || seed % 16 == 5 && traits.tellsFilesApart }

    /// Whether the zone forgets what snapshots stand for, in worlds with and without rejections.
    var hasCompaction: Bool { traits.hasCompaction }

    /// Which apps a world has, by the seed's remainder.
    private static let apps: [WorldTraits.Apps] = [.mixed, .plain, .ruled, .plain, .keyed]

    /// Short runs look at the end of few steps often; what takes many needs the long ones.
    private static let stepCounts = 16...144

    package init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        self.seed = seed
        traits = WorldTraits(&generator)
        // From the seed alone, so that the steps are those of worlds without it.
        traits.rejectionPeriod = seed % 4 == 3 ? 8 : 0
        traits.hasCompaction = seed % 8 == 5 || seed % 16 == 11
        traits.hasParts = seed % 3 == 1
        // A branch that a zone has lost, and that a replica has by a snapshot alone, comes back
        // under another name, which that replica is not told.
        traits.hasZoneRestores =
            seed % 7 == 3 && (!traits.hasCompaction || traits.tellsFilesApart)
        traits.apps = Self.apps[Int(seed % 5)]
        // Of its own, so that a shorter run is the beginning of a longer one.
        var sizes = SeededGenerator(seed: ~seed)
        let stepCount = Int.random(in: Self.stepCounts, using: &sizes)
        traits.hasSmallPages = sizes.oneIn(2)
        steps = (0..<stepCount).map { _ in Step(&generator) }
    }
}

/// What is the same during a whole run.
struct WorldTraits: Sendable {
    var replicaCount: Int
    /// Each fault of the network happens to one message in as many; zero means never.
    var faultPeriod: Int
    /// Whether a copy of a file can be told from the file.
    var tellsFilesApart: Bool
    /// How far clocks are ahead at most, in milliseconds.
    var clockLead: Int
    /// The zone rejects one save in as many for good; zero means none.
    var rejectionPeriod: UInt64 = 0
    /// Whether the zone forgets change sets.
    var hasCompaction = false
    /// Whether the zone goes back to older states of its file.
    var hasZoneRestores = false
    /// Whether every save is cut into as many parts as can be.
    var hasParts = false
    /// Whether a few sets fill a page, a batch and a transaction, and a part takes many pieces.
    var hasSmallPages = true

    var apps = Apps.plain

    /// The models of a world's apps.
    enum Apps: String, Sendable {
        case plain, ruled, keyed
        /// Two versions of one app: `plain` the older, `rules` the newer.
        case mixed

        /// The model of the replica that was made as the one with this number.
        func model(of number: Int) -> SimulationModel.Kind {
            switch self {
            case .plain: .plain
            case .ruled: .rules
            case .keyed: .keys
            case .mixed: number.isMultiple(of: 2) ? .plain : .rules
            }
        }
    }

    /// Less than what a zone refuses.
    static let leastClockLead = 120_000

    init(_ generator: inout SeededGenerator) {
        replicaCount = Int.random(in: 2..<4, using: &generator)
        faultPeriod = [0, 4, 8, 16, 32][Int.random(in: 0..<5, using: &generator)]
        tellsFilesApart = generator.oneIn(2)
        let minute = 60_000
        clockLead =
            [2 * minute, 60 * minute, 24 * 60 * minute][
                Int.random(in: 0..<3, using: &generator)]
    }
}

/// One thing that happens, to one replica or to the zone.
package struct Step: Sendable {
    enum Kind: String, Sendable {
        case save, advance, exchange, crash, reopen, copy, backUpOrRestore
        case cutOff, zoneCrash, zoneRestart, zoneMove, clockJump
        /// Never drawn: some steps of worlds with bundles are this instead of `advance`.
        case bundle
        /// Never drawn: some steps of worlds with compaction are this instead of `advance`.
        case compaction
        /// Never drawn: some steps of worlds whose zone is restored are this instead of `advance`.
        case zoneRestore
        /// Never drawn: some steps of worlds with two versions of an app are this instead of
        /// `advance`.
        case upgrade

        var isOfZone: Bool {
            switch self {
            case .zoneCrash, .zoneRestart, .zoneMove, .compaction, .zoneRestore: true
            default: false
            }
        }
    }

    let kind: Kind
    /// Which replica, counted round where there are fewer.
    let replica: Int
    /// Of everything random in the step.
    let seed: UInt64

    /// How often each kind happens, among as many as all together.
    private static let weights: [(Kind, Int)] = [
        (.save, 60), (.advance, 108), (.exchange, 4), (.crash, 6), (.reopen, 2), (.copy, 4),
        (.backUpOrRestore, 4), (.cutOff, 4), (.zoneCrash, 4), (.zoneRestart, 1), (.zoneMove, 1),
        (.clockJump, 2),
    ]
    func kind(in scenario: Scenario) -> Kind {
        guard kind == .advance else { return kind }
        if scenario.hasBundles, seed % 5 == 0 { return .bundle }
        if scenario.traits.hasZoneRestores, seed % 12 == 1 { return .zoneRestore }
        if scenario.traits.apps == .mixed, seed % 12 == 7 { return .upgrade }
        return scenario.hasCompaction && seed % 12 == 0 ? .compaction : kind
    }

    private static let weightSum = weights.reduce(0) { $0 + $1.1 }

    init(_ generator: inout SeededGenerator) {
        var rest = Int.random(in: 0..<Self.weightSum, using: &generator)
        var drawn = Kind.save
        for (kind, weight) in Self.weights {
            drawn = kind
            rest -= weight
            if rest < 0 { break }
        }
        kind = drawn
        replica = Int.random(in: 0..<60, using: &generator)
        seed = generator.next()
    }
}
