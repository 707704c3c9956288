import TestSupport

/// One run as a list of steps, each with its own source of randomness.
///
/// If steps are removed from the list, the rest is a scenario too, and the remaining steps do the
/// same.
package struct Scenario: Sendable {
    let seed: UInt64
    var traits: WorldTraits
    package internal(set) var steps: [Step]

    /// Whether replicas also exchange bundle files, without the zone.
    ///
    /// It is computed from the seed and not drawn, so that it does not change the other worlds.
    /// Worlds with snapshots in place of logs have no bundles if files can't be distinguished: a
    /// bundle could then name another branch of a fork than the snapshot.
    var hasBundles: Bool { seed % 8 == 7 || seed % 16 == 5 && traits.tellsFilesApart }

    /// Whether the zone compacts its log, in worlds with and without rejections.
    var hasCompaction: Bool { traits.hasCompaction }

    /// The apps of a world, by the remainder of its seed.
    private static let apps: [WorldTraits.Apps] = [.mixed, .plain, .mergeRules, .plain, .keyed]

    /// Returns whether a world of plain apps has three versions of one app instead.
    ///
    /// The remainder is independent of those that choose the other faults. The seeds that notice a
    /// mechanism that is switched off, and those that have failed, keep their worlds.
    private static func hasVersions(_ seed: UInt64) -> Bool {
        [2, 4, 6, 7, 9].contains(seed % 13)
    }

    /// The range of run lengths. Short runs check the state after few steps; some failures need a
    /// long run.
    private static let stepCounts = 16...144

    /// Returns whether a world's zone is in a database of several daemons.
    ///
    /// The remainder is independent of those that choose the other faults. The seeds that notice a
    /// mechanism that is switched off keep their worlds.
    private static func hasDatabase(_ seed: UInt64) -> Bool {
        [0, 7, 9, 10, 12, 14].contains(seed % 17)
    }

    /// Returns whether replicas of a world remove old saves from their logs: in half of the worlds,
    /// whatever else happens there.
    private static func trimsLogs(_ seed: UInt64) -> Bool {
        (seed &* 0x9E37_79B9_7F4A_7C15) >> 63 == 1
    }

    /// - Parameter storage: The storage of the zone; `nil` if the seed chooses it.
    package init(seed: UInt64, storage: ZoneStorageKind? = nil) {
        var generator = SeededGenerator(seed: seed)
        self.seed = seed
        traits = WorldTraits(&generator)
        // These follow from the seed alone, so that the steps are those of worlds without them.
        traits.rejectionPeriod = seed % 4 == 3 ? 8 : 0
        traits.hasCompaction = seed % 8 == 5 || seed % 16 == 11
        traits.hasParts = seed % 3 == 1
        // A branch that a zone has lost, and that a replica has in a snapshot alone, comes back
        // under another name. That replica does not learn the name.
        traits.hasZoneRestores =
            seed % 7 == 3 && (!traits.hasCompaction || traits.tellsFilesApart)
        // A store that trims its log knows branches of it as from a snapshot alone.
        let needsBranches = traits.hasZoneRestores || seed % 8 == 7
        traits.trimsLogs =
            Self.trimsLogs(seed) && (traits.tellsFilesApart || !needsBranches)
        traits.mixesDurability = seed % 9 == 7
        traits.hasFailingRandomness = seed % 11 == 5
        traits.apps = Self.apps[Int(seed % 5)]
        if traits.apps == .plain, Self.hasVersions(seed) { traits.apps = .versions }
        traits.storage = storage ?? (Self.hasDatabase(seed) ? .postgres : .sqlite)
        traits.databaseFaultPeriod = [0, 12, 40, 150][Int(seed / 17 % 4)]
        // The step count has its own generator, so that a shorter run is the beginning of a longer
        // one.
        var sizes = SeededGenerator(seed: ~seed)
        let stepCount = Int.random(in: Self.stepCounts, using: &sizes)
        traits.hasSmallPages = sizes.oneIn(2)
        steps = (0..<stepCount).map { _ in Step(&generator) }
    }
}

/// The storages that a world's zone may have.
package enum ZoneStorageKind: String, CaseIterable, Sendable {
    /// One daemon with a file.
    case sqlite
    /// Several daemons with one database.
    case postgres
}

/// The properties of a world that do not change during a run.
struct WorldTraits: Sendable {
    var replicaCount: Int
    /// Each fault of the network happens to one message in this many; zero means never.
    var faultPeriod: Int
    /// Whether a copy of a file can be told from the file.
    var tellsFilesApart: Bool
    /// The greatest lead of a replica's clock, in milliseconds.
    var clockLead: Int
    /// The zone rejects one save in this many for good; zero means none.
    var rejectionPeriod: UInt64 = 0
    /// Whether the zone compacts its log.
    var hasCompaction = false
    /// Whether replicas remove from their logs what the zone holds too.
    var trimsLogs = false
    /// Whether the zone goes back to older states of its file.
    var hasZoneRestores = false
    /// Whether every save is cut into as many parts as possible.
    var hasParts = false
    /// Whether files are opened with full and with normal durability, by one process after another
    /// and by two at the same time.
    var mixesDurability = false
    /// Whether the source of randomness sometimes fails.
    var hasFailingRandomness = false
    /// Whether a few change sets fill a page, a batch and a transaction, and a part takes many
    /// pieces.
    var hasSmallPages = true

    var storage = ZoneStorageKind.sqlite
    /// One group of statements in this many fails in a database; zero means none.
    var databaseFaultPeriod = 0

    var apps = Apps.plain

    /// The models of a world's apps.
    enum Apps: String, Sendable {
        case plain, mergeRules, keyed
        /// Two versions of one app: the older has `plain`, the newer `rules`.
        case mixed
        /// Three versions of one app. The replicas begin with the first and with the second one.
        case versions

        /// Whether apps get other versions during the run.
        var areUpgraded: Bool { self == .mixed || self == .versions }

        /// Returns the model of the replica that was created with this number.
        func model(of number: Int) -> SimulationModel.Kind {
            switch self {
            case .plain: .plain
            case .mergeRules: .rules
            case .keyed: .keys
            case .mixed: number.isMultiple(of: 2) ? .plain : .rules
            case .versions: number.isMultiple(of: 2) ? .first : .second
            }
        }
    }

    /// A clock lead that a zone accepts, in milliseconds.
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

/// One step of a run, which concerns one replica or the zone.
package struct Step: Sendable {
    enum Kind: String, Sendable {
        case save, advance, exchange, crash, reopen, copy, backUpOrRestore
        case cutOff, zoneCrash, zoneRestart, zoneMove, clockJump
        /// This kind is never drawn: some `advance` steps of worlds with bundles become this kind.
        case bundle
        /// This kind is never drawn: some `advance` steps of worlds with compaction become this
        /// kind.
        case compaction
        /// This kind is never drawn: some `advance` steps of worlds in which logs are trimmed
        /// become this kind.
        case trimming
        /// This kind is never drawn: some `advance` steps of worlds with zone restores become this
        /// kind.
        case zoneRestore
        /// This kind is never drawn: some `advance` steps of worlds with several versions of an app
        /// become this kind.
        case upgrade

        var isOfZone: Bool {
            switch self {
            case .zoneCrash, .zoneRestart, .zoneMove, .compaction, .zoneRestore: true
            default: false
            }
        }
    }

    let kind: Kind
    /// The replica's index, modulo the number of replicas.
    let replica: Int
    /// The seed of all randomness in the step.
    let seed: UInt64

    /// The weight of each kind among all kinds.
    private static let weights: [(Kind, Int)] = [
        (.save, 60), (.advance, 108), (.exchange, 4), (.crash, 6), (.reopen, 2), (.copy, 4),
        (.backUpOrRestore, 4), (.cutOff, 4), (.zoneCrash, 4), (.zoneRestart, 1), (.zoneMove, 1),
        (.clockJump, 2),
    ]
    func kind(in scenario: Scenario) -> Kind {
        guard kind == .advance else { return kind }
        if scenario.hasBundles, seed % 5 == 0 { return .bundle }
        if scenario.traits.hasZoneRestores, seed % 12 == 1 { return .zoneRestore }
        if scenario.traits.apps.areUpgraded, seed % 12 == 7 { return .upgrade }
        if scenario.traits.apps == .versions, seed % 12 == 3 { return .upgrade }
        if scenario.traits.trimsLogs, seed % 12 == 9 { return .trimming }
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
