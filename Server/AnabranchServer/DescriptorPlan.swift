/// The division of the descriptors that a process may open among the parts of a server.
///
/// Connections and zones are the parts that clients make grow, so each gets a share that it can't
/// exceed, and the rest is reserved for all others.
public struct DescriptorPlan: Sendable {
    /// The descriptors that an open zone of a directory takes at most: three of its writer, two of
    /// each of four readers, and three of its snapshots, and one of a temporary file.
    static let ofZone = 15
    /// Standard streams, tokens, locks, timers, sockets that listen, and temporary files.
    static let ofServer = 64
    /// The connections to a database by which daemons announce heads and listen for them.
    static let ofHeadExchange = 2
    /// The pipes or sockets of one call of the validation hook.
    static let ofHookCall = 6

    /// The settings, lowered to what the process can open.
    public private(set) var options: SyncServer.Options
    /// A sentence for each setting that was lowered.
    public private(set) var warnings: [String] = []

    /// Divides descriptors.
    ///
    /// - Parameters:
    ///   - limit: The number that the process may open.
    ///   - options: The settings as the operator wants them.
    ///   - databaseConnections: The greatest number of connections to a database; `nil` for zones
    ///     in a directory.
    ///   - hookCalls: The greatest number of calls of the validation hook at once.
    public init(
        limit: Int, for options: SyncServer.Options, databaseConnections: Int?, hookCalls: Int
    ) {
        self.options = options
        let wanted = options.http.connections
        let reserved =
            Self.ofServer + (options.metrics?.connections ?? 0) + hookCalls * Self.ofHookCall
            + (databaseConnections.map { $0 + Self.ofHeadExchange } ?? 0)
        let room = max(limit - reserved, limit / 2)
        let zones = databaseConnections == nil ? options.openZones * Self.ofZone : 0
        // A zone's share may grow with what connections leave, and is at least a half.
        let zoneShare = zones == 0 ? 0 : max(room - wanted, min(zones, room / 2), 0)
        let connections = max(min(wanted, room - min(zones, zoneShare)), 1)
        if databaseConnections == nil {
            self.options.mostOpenZones = max((room - connections) / Self.ofZone, 1)
            lowerZones(limit)
        }
        guard connections < wanted else { return }
        self.options.http.connections = connections
        warn("connections", from: wanted, to: connections, limit)
    }

    private mutating func lowerZones(_ limit: Int) {
        guard options.mostOpenZones < options.openZones else { return }
        warn("open-zones", from: options.openZones, to: options.mostOpenZones, limit)
        options.openZones = options.mostOpenZones
    }

    private mutating func warn(_ name: String, from wanted: Int, to given: Int, _ limit: Int) {
        warnings.append(
            "lowered \(name) from \(wanted) to \(given), because this process may open only "
                + "\(limit) files: raise its hard limit (ulimit -Hn, LimitNOFILE=)")
    }
}
