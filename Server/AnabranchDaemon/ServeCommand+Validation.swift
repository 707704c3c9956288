import AnabranchServer

/// The options of `anabranchd serve` for the validation hook and the audit log.
extension ServeCommand {
    static let validationOptions: Set<String> = [
        "validate", "validate-timeout", "validate-calls", "audit-log",
    ]

    /// Reads the options, and opens the audit log.
    ///
    /// - Parameter settings: Has the number of workers already.
    static func setValidation(
        _ options: CommandOptions, _ settings: inout SyncServer.Options
    ) throws {
        settings.hook = try hook(options, workers: settings.http.workers)
        settings.audit = try options["audit-log"].map {
            try AuditLog(
                path: $0, wallMilliseconds: ServerEnvironment.system.wallMilliseconds)
        }
    }

    private static func hook(_ options: CommandOptions, workers: Int) throws -> ValidationHook? {
        var limits = ValidationHook.Options()
        // As many pushes wait as calls run. Half of the workers stay free for other requests.
        let greatest = max(workers / 4, 1)
        limits.calls = min(limits.calls, greatest)
        if let milliseconds = try options.number("validate-timeout", in: 1...600_000) {
            limits.timeout = .milliseconds(milliseconds)
        }
        if let count = try options.number("validate-calls", in: 1...1024) {
            guard count <= greatest else {
                throw options.usage(
                    "The option --validate-calls takes at most a quarter of --workers, which is "
                        + "\(greatest), so that other requests go on while the hook is slow.")
            }
            limits.calls = count
        }
        guard let text = options["validate"] else {
            for name in ["validate-timeout", "validate-calls"] where options[name] != nil {
                throw options.usage("The option --\(name) needs --validate.")
            }
            return nil
        }
        do throws(ValidationPlaceError) {
            return ValidationHook(at: try ValidationPlace(text), options: limits)
        } catch {
            throw options.usage(error.message)
        }
    }
}
