import AnabranchReplication

/// How far ahead of this store's clock a time may be that comes into the store.
///
/// What is saved later gets a later time than all that is held (invariant 8), so one time near the
/// end of what a timestamp can say would leave the clock nothing to issue. Below that a time that
/// is ahead does no lasting harm: a zone refuses it, and its holder gives it an earlier one.
///
/// Device clocks lie, and a bundle passes between devices that no server has corrected. So the
/// limit of a bundle is wide: it lets clocks differ by hours, time zones and days. What comes from
/// a zone has passed the zone's own, narrow limit by the zone's clock. A store that refused it
/// because its own clock is slow could never read on, so here the limit only keeps out times that
/// no clock shows, not even one that starts in 1970.
enum TimeLimit: Sendable {
    case bundle, zone

    /// In milliseconds: 7 days, 100 years.
    private var lead: Int64 {
        switch self {
        case .bundle: 7 * 86_400_000
        case .zone: Self.century
        }
    }

    private static let century: Int64 = 36_525 * 86_400_000

    /// A second, as in a zone: a store that holds a time takes those that go on from it.
    private static let step = UInt64(1000) << 16

    /// The latest time that may come in.
    ///
    /// - Parameters:
    ///   - wallMilliseconds: By the device's clock, corrected by what is known of the server's.
    ///   - held: The greatest time that the store holds.
    func latest(wallMilliseconds: Int64, held: HybridTimestamp) -> HybridTimestamp {
        let byClock = Self.timestamp(lead, after: wallMilliseconds)
        guard !Self.isImpossible(held, wallMilliseconds: wallMilliseconds) else { return byClock }
        return max(byClock, HybridTimestamp(rawValue: held.rawValue + Self.step))
    }

    /// True if a time is so far ahead that it is wrong, and not the device's clock.
    static func isImpossible(_ timestamp: HybridTimestamp, wallMilliseconds: Int64) -> Bool {
        timestamp > latestPossible(wallMilliseconds: wallMilliseconds)
    }

    static func latestPossible(wallMilliseconds: Int64) -> HybridTimestamp {
        timestamp(century, after: wallMilliseconds)
    }

    private static func timestamp(
        _ lead: Int64, after wallMilliseconds: Int64
    ) -> HybridTimestamp {
        let (sum, isBeyond) = max(wallMilliseconds, 0).addingReportingOverflow(lead)
        return HybridTimestamp(wallMilliseconds: isBeyond ? .max : sum, counter: .max)
    }
}

/// The present time by a store's device, and the greatest timestamp that the store has observed.
struct StoreTime {
    /// Corrected by what is known of the server's clock.
    let wallMilliseconds: Int64
    let held: HybridTimestamp

    init(_ state: StoreState, _ environment: StoreEnvironment) {
        wallMilliseconds =
            environment.wallMilliseconds().addingReportingOverflow(state.clockOffset).partialValue
        held = state.clock.latest
    }

    /// True if the clock has observed a time that no device's clock shows.
    var isImpossible: Bool { TimeLimit.isImpossible(held, wallMilliseconds: wallMilliseconds) }

    /// The latest time that may come in by this way.
    func latest(_ limit: TimeLimit) -> HybridTimestamp {
        limit.latest(wallMilliseconds: wallMilliseconds, held: held)
    }
}

extension WriteTransaction {
    var time: StoreTime { StoreTime(state, environment) }

    /// - Throws: ``StoreError`` `clockSkew`.
    func check(_ timestamp: HybridTimestamp, of name: String, _ limit: TimeLimit) throws {
        guard timestamp > time.latest(limit) else { return }
        throw StoreError(clockSkew: timestamp, of: name, limit, wallMilliseconds, store.path)
    }
}

extension StoreError {
    /// Creates the error for a received timestamp that is too far ahead of this store's clock.
    init(
        clockSkew timestamp: HybridTimestamp, of name: String, _ limit: TimeLimit,
        _ wallMilliseconds: Int64, _ path: String
    ) {
        let (lead, isBeyond) = timestamp.wallMilliseconds.subtractingReportingOverflow(
            wallMilliseconds)
        let days = (isBeyond ? .max : lead) / 86_400_000
        let advice =
            switch limit {
            case .bundle:
                "If this device's clock is slow, set it and import the bundle again. Otherwise "
                    + "sync the store that wrote the bundle, which gives its saves present times, "
                    + "and export the bundle again."
            case .zone:
                "Set this device's clock if it is wrong; otherwise report it to the server's "
                    + "operator."
            }
        self.init(
            .clockSkew,
            "Can't apply \(name) because its time is \(days) days ahead of the clock. \(advice)",
            path: path)
    }
}
