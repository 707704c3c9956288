import AnabranchServer

extension ServeCommand {
    /// The options for the limits of requests.
    static let limitOptions: Set<String> = ["requests-per-token", "requests-per-address"]

    /// Reads the limits of requests.
    static func readLimits(
        _ options: CommandOptions, into settings: inout SyncServer.Options
    ) throws {
        settings.rates.perToken = try options.number("requests-per-token", in: 1...1_000_000)
        settings.rates.perAddress = try options.number("requests-per-address", in: 1...1_000_000)
    }
}
