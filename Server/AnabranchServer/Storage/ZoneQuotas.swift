import AnabranchReplication

/// The quotas of a zone: what it may hold, and what may be pushed to it in a day.
public struct ZoneQuotas: Hashable, Sendable {
    /// A quantity that a quota limits.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Quantity: String, Hashable, Sendable, CaseIterable {
        /// Bytes of the log's change sets, of their parts, staged ones included, of the values and
        /// links of the merged state, and of the names of entities and properties.
        case bytes
        /// Records that are not dead.
        case records
        /// Replicas that have pushed, or that a record or stamp mentions.
        case replicas
        /// Bytes of change sets and parts that are pushed in a day of UTC.
        case dailyBytes = "daily-bytes"
    }

    /// The limit of a quantity.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Limit: Hashable, Sendable {
        /// The zone has no quota of its own: the server's default holds.
        case standard
        /// There is no limit, whatever the server's default is.
        case unlimited
        /// The zone has a limit of its own.
        case most(Int64)
    }

    private var limits: [Quantity: Limit] = [:]

    /// Creates quotas without limits of their own.
    public init() {}

    /// The limit of a quantity.
    public subscript(quantity: Quantity) -> Limit {
        get { limits[quantity] ?? .standard }
        set { limits[quantity] = newValue == .standard ? nil : newValue }
    }

    /// The greatest amount of a quantity; `nil` if there is no limit.
    ///
    /// - Parameter standard: The server's default.
    func greatest(_ quantity: Quantity, orElse standard: ZoneQuotas) -> Int64? {
        switch self[quantity] {
        case .most(let amount): return amount
        case .unlimited: return nil
        case .standard:
            guard case .most(let amount) = standard[quantity] else { return nil }
            return amount
        }
    }
}

extension ZoneQuotas {
    var stored: [Int64?] { Quantity.allCases.map { self[$0].stored } }
}

extension ZoneQuotas.Limit {
    /// The limit as both back ends store it: NULL for the default, −1 for none.
    init(stored: Int64?) {
        switch stored {
        case nil: self = .standard
        case let amount? where amount >= 0: self = .most(amount)
        default: self = .unlimited
        }
    }

    fileprivate var stored: Int64? {
        switch self {
        case .standard: nil
        case .unlimited: -1
        case .most(let amount): amount
        }
    }
}

/// The amounts that a zone uses, as running counters.
package struct ZoneUse: Hashable, Sendable {
    package var bytes: Int64 = 0
    package var records: Int64 = 0
    package var replicas: Int64 = 0
    /// The last day on which something was pushed, in days since 1970-01-01 UTC, and the bytes that
    /// were pushed on it.
    package var day: Int64 = 0
    package var dayBytes: Int64 = 0

    /// The used amount of a quantity.
    ///
    /// - Parameter today: The present day, in days since 1970-01-01 UTC.
    func amount(of quantity: ZoneQuotas.Quantity, on today: Int64) -> Int64 {
        switch quantity {
        case .bytes: bytes
        case .records: records
        case .replicas: replicas
        case .dailyBytes: day == today ? dayBytes : 0
        }
    }
}

extension StateRow {
    /// The bytes of the row that count for a quota: its values and its delete mark.
    var countedBytes: Int64 { Int64(cells.count + (seen?.count ?? 0)) }
}

extension WireName {
    /// The bytes of the name that count for a quota. A name stays, even if no record has it any
    /// longer.
    var countedBytes: Int { string.utf8.count }
}
