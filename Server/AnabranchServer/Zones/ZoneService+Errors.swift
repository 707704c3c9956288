public import AnabranchProtocol
import AnabranchReplication

extension ZoneService {
    /// Runs `body` and converts its errors to errors of the protocol.
    func named<Result>(_ body: () throws -> Result) throws(ProtocolError) -> Result {
        do {
            return try body()
        } catch {
            throw ProtocolError(serving: name, error)
        }
    }
}

extension ProtocolError {
    /// The error that a client receives for a failure inside the server.
    ///
    /// Paths and statements stay on the server: only the log line contains them, as `cause`.
    init(serving zone: ZoneName, _ error: any Error) {
        switch error {
        case let error as ProtocolError: self = error
        case let error as StorageError: self.init(serving: zone, error)
        default: self.init(failing: zone, error)
        }
    }

    private init(serving zone: ZoneName, _ error: StorageError) {
        switch error.code {
        case .noSuchZone:
            self.init(.notFound, "There is no zone \(zone).", details: ["field": "zone"])
        case .tooManyReplicas:
            self.init(.storageFull, error.message, details: ["limit": "replicas"])
        case .snapshotRemoved:
            self.init(.overloaded, "Can't give a snapshot of zone \(zone) now: try again.")
        case .full:
            self.init(
                .storageFull, "Can't serve zone \(zone) because its disk is full.",
                details: [Self.causeDetail: error.message])
        case .busy, .unavailable:
            self.init(
                .overloaded, "Can't serve zone \(zone) now: try again.",
                details: [Self.causeDetail: error.message])
        case .closed: self.init(.shuttingDown, "The server is stopping: try again.")
        default: self.init(failing: zone, error)
        }
    }

    private init(failing zone: ZoneName, _ error: any Error) {
        self.init(
            .internalError, "Can't serve zone \(zone) because of a failure of the server.",
            details: [Self.causeDetail: "\(error)"])
    }

    /// The key of the detail that only the server's log contains, and what the operator is told.
    static let causeDetail = "cause"

    /// The message for the operator of the server: the cause with its path, which no client is
    /// told, or the message if there is none.
    public var operatorMessage: String { details[Self.causeDetail] ?? "\(self)" }
}
