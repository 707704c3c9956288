import AnabranchProtocol
import Foundation

/// Checks that pushed saves and parts leave a zone within its quotas.
struct QuotaCheck {
    private let limits: [(quantity: ZoneQuotas.Quantity, limit: Int64)]
    /// The present day, in days since 1970-01-01 UTC.
    let today: Int64

    /// The least number of bytes by which a change of a favoured quantity may exceed its quota.
    static let leastMargin: Int64 = 64 << 10
    private static let dayMilliseconds: Int64 = 24 * 60 * 60 * 1000

    /// Creates the check of a transaction.
    ///
    /// - Parameters:
    ///   - own: The zone's own quotas.
    ///   - standard: The server's default.
    init(_ own: ZoneQuotas, orElse standard: ZoneQuotas, wallMilliseconds: Int64) {
        limits = ZoneQuotas.Quantity.allCases.compactMap { quantity in
            own.greatest(quantity, orElse: standard).map { (quantity, $0) }
        }
        today = Self.day(of: wallMilliseconds)
    }

    /// The day of a time, also before 1970.
    static func day(of wallMilliseconds: Int64) -> Int64 {
        let (days, rest) = wallMilliseconds.quotientAndRemainder(dividingBy: dayMilliseconds)
        return rest < 0 ? days - 1 : days
    }

    /// Each limited quantity with its used amount.
    func uses(_ use: ZoneUse) -> [QuotaUse] {
        limits.map { quantity, limit in
            QuotaUse(
                name: quantity.rawValue, limit: UInt64(clamping: limit),
                used: UInt64(clamping: use.amount(of: quantity, on: today)))
        }
    }

    /// Checks a change of the used amounts.
    ///
    /// A change is only refused for a quantity that it makes larger.
    ///
    /// - Parameters:
    ///   - favoured: Quantities that may exceed their quota by a sixteenth of it, and by
    ///     ``leastMargin`` at least. So a zone that is full can make voids of saves that it
    ///     rejects, and accepts deletions.
    ///   - what: The change, for the message.
    ///
    /// - Returns: The refusal `quotaExceeded`; `nil` if the change is within the quotas.
    func refusal(
        from before: ZoneUse, to after: ZoneUse, favouring favoured: Set<ZoneQuotas.Quantity> = [],
        of what: @autoclosure () -> String, details: @autoclosure () -> [String: String] = [:]
    ) -> ProtocolError? {
        for (quantity, limit) in limits {
            let used = before.amount(of: quantity, on: today)
            let needed = after.amount(of: quantity, on: today)
            let margin = favoured.contains(quantity) ? max(limit / 16, Self.leastMargin) : 0
            guard needed > used, needed > limit, needed - limit > margin else { continue }
            return refusal(
                of: what(), details(), quantity, limit: limit, used: used, needed: needed)
        }
        return nil
    }

    private func refusal(
        of what: String, _ details: [String: String], _ quantity: ZoneQuotas.Quantity,
        limit: Int64, used: Int64, needed: Int64
    ) -> ProtocolError {
        var details = details
        details["quota"] = quantity.rawValue
        details["limit"] = "\(limit)"
        details["used"] = "\(used)"
        let cause: String
        let remedy: String
        switch quantity {
        case .bytes:
            cause = "the zone would use \(needed) of \(limit) bytes"
            remedy = "delete records, or ask the operator for more"
        case .records:
            cause = "the zone would have \(needed) of \(limit) records"
            remedy = "delete records, or ask the operator for more"
        case .replicas:
            cause = "the zone would have \(needed) of \(limit) replicas"
            remedy = "ask the operator for more"
        case .dailyBytes:
            let end = Date(timeIntervalSince1970: Double((today + 1) * Self.dayMilliseconds) / 1000)
            let until = end.formatted(.iso8601)
            details["until"] = until
            cause = "\(needed) of \(limit) bytes would be pushed to the zone today"
            remedy = "wait until \(until), or ask the operator for more"
        }
        return ProtocolError(
            .quotaExceeded, "Can't accept \(what) because \(cause): \(remedy).", details: details)
    }
}
