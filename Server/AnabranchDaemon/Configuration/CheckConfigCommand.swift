import AnabranchServer

/// The command `anabranchd check-config`.
enum CheckConfigCommand {
    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(
            arguments, of: "check-config", known: ServeCommand.options)
        guard !options.wantsHelp else { return print(HelpText.checkConfig) }
        try options.expectNoWords()
        let settings = try ServeSettings(options)
        try check(settings)
        for setting in settings.given {
            print("\(setting.name) = \(setting.shownText)  (\(setting.place))")
        }
        print("The configuration is valid.")
    }

    /// Reads everything that `serve` reads before it opens the store.
    private static func check(_ settings: ServeSettings) throws {
        _ = try settings.location()
        _ = try settings.databaseConnections()
        _ = try settings.logLevel()
        _ = try settings.serverOptions()
    }
}
