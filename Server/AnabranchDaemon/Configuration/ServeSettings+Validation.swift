import AnabranchServer

extension ServeSettings {
    /// The operator's hook; `nil` if there is none. It does nothing before its first call.
    ///
    /// - Parameter workers: The number of requests that the server processes at the same time.
    func hook(workers: Int) throws -> ValidationHook? {
        var limits = ValidationHook.Options()
        if let milliseconds = try number("validate-timeout", in: 1...600_000) {
            limits.timeout = .milliseconds(milliseconds)
        }
        limits.calls = try greatestCalls(workers: workers)
        guard let text = self["validate"] else {
            for name in ["validate-timeout", "validate-calls"] where self[name] != nil {
                throw wrong(name, "must be used together with validate")
            }
            return nil
        }
        do throws(ValidationPlaceError) {
            return ValidationHook(at: try ValidationPlace(text), options: limits)
        } catch {
            throw unusable("validate", error.message)
        }
    }

    /// The greatest number of calls of the hook at once; 0 if there is no hook.
    func hookCalls(workers: Int) throws -> Int {
        self["validate"] == nil ? 0 : try greatestCalls(workers: workers)
    }

    /// The greatest number of calls of a hook at once.
    ///
    /// As many pushes wait as calls run. Half of the workers stay free for other requests.
    private func greatestCalls(workers: Int) throws -> Int {
        let greatest = max(workers / 4, 1)
        guard let count = try number("validate-calls", in: 1...1024) else {
            return min(ValidationHook.Options().calls, greatest)
        }
        guard count <= greatest else {
            throw wrong(
                "validate-calls",
                "takes at most a quarter of the workers, which is \(greatest), so that other "
                    + "requests go on while the hook is slow")
        }
        return count
    }

    /// Opens the audit log; `nil` if none is kept.
    func auditLog() throws -> AuditLog? {
        try self["audit-log"].map {
            try AuditLog(path: $0, wallMilliseconds: ServerEnvironment.system.wallMilliseconds)
        }
    }
}
