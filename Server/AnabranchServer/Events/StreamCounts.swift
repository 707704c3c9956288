import AnabranchProtocol
import AnabranchReplication

/// The open event streams of each holder of a right and of each zone.
struct StreamCounts {
    /// The kind of thing that has as many streams as it may have.
    enum Full: String {
        case token, zone, server
    }

    private var holders: [AccessHolder: Int] = [:]
    private var zones: [ZoneName: Int] = [:]
    private var total = 0

    /// Counts a stream.
    ///
    /// - Returns: `nil`, or what has as many streams as it may have; then nothing is counted.
    mutating func begin(
        _ holder: AccessHolder, _ zone: ZoneName, _ limits: StreamLimits
    ) -> Full? {
        guard holders[holder, default: 0] < limits.perToken else { return .token }
        guard zones[zone, default: 0] < limits.perZone else { return .zone }
        guard total < limits.inAll else { return .server }
        holders[holder, default: 0] += 1
        zones[zone, default: 0] += 1
        total += 1
        return nil
    }

    mutating func end(_ holder: AccessHolder, _ zone: ZoneName) {
        holders[holder] = holders[holder].flatMap { $0 > 1 ? $0 - 1 : nil }
        zones[zone] = zones[zone].flatMap { $0 > 1 ? $0 - 1 : nil }
        total -= 1
    }
}
