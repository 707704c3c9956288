import AnabranchServer

extension ServeCommand {
    /// The options for the limits of requests and the default quotas of zones.
    static let limitOptions = Set(
        ["requests-per-token", "requests-per-address"]
            + ZoneQuotas.Quantity.allCases.map(quotaOption))

    private static func quotaOption(_ quantity: ZoneQuotas.Quantity) -> String {
        "zone-\(quantity.rawValue)"
    }

    /// Reads the limits of requests and the default quotas of zones.
    static func readLimits(
        _ options: CommandOptions, into settings: inout SyncServer.Options
    ) throws {
        settings.rates.perToken = try options.number("requests-per-token", in: 1...1_000_000)
        settings.rates.perAddress = try options.number("requests-per-address", in: 1...1_000_000)
        for quantity in ZoneQuotas.Quantity.allCases {
            let limit = try options.number(quotaOption(quantity), in: 0...Int.max)
            if let limit { settings.zones.quotas[quantity] = .most(Int64(limit)) }
        }
    }
}
