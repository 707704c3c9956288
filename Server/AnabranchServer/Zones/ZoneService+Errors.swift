import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite

extension ZoneService {
    /// Runs `body`, its errors turned into the protocol's.
    func named<Result>(_ body: () throws -> Result) throws(ProtocolError) -> Result {
        do {
            return try body()
        } catch {
            throw ProtocolError(serving: name, error)
        }
    }
}

extension ProtocolError {
    /// What a client is told of a failure behind the service.
    ///
    /// Paths and statements stay on the server: `cause` of the log line has them.
    init(serving zone: ZoneName, _ error: any Error) {
        switch error {
        case let error as ProtocolError: self = error
        case let error as ZoneStorageError: self.init(serving: zone, error)
        case let error as SQLiteError:
            switch error.code {
            case .full:
                self.init(.storageFull, "Can't serve zone \(zone) because its disk is full.")
            case .busy, .locked:
                self.init(.overloaded, "Can't serve zone \(zone) now: try again.")
            default: self.init(failing: zone, error)
            }
        default: self.init(failing: zone, error)
        }
    }

    private init(serving zone: ZoneName, _ error: ZoneStorageError) {
        switch error.code {
        case .noSuchZone:
            self.init(.notFound, "There is no zone \(zone).", details: ["field": "zone"])
        case .tooManyReplicas:
            self.init(.storageFull, error.message, details: ["limit": "replicas"])
        case .closed: self.init(.shuttingDown, "The server is stopping: try again.")
        default: self.init(failing: zone, error)
        }
    }

    private init(failing zone: ZoneName, _ error: any Error) {
        self.init(
            .internalError, "Can't serve zone \(zone) because of a failure of the server.",
            details: [Self.causeDetail: "\(error)"])
    }

    /// The key of what only the server's log may say.
    static let causeDetail = "cause"
}
