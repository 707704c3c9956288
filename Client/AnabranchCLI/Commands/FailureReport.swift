import Anabranch
import AnabranchConversion
import AnabranchSync
import Foundation

/// An error for the user: the message with advice, and the exit status.
struct FailureReport {
    let status: ExitStatus
    let message: String

    init(_ error: any Error) {
        switch error {
        case let error as UsageError: self.init(.usage, error.description)
        case let error as CommandFailure: self.init(error.status, error.message)
        case let error as ModelError where error.code == .unwritable:
            self.init(.cannotCreate, error.description)
        case let error as InputError: self.init(.data, error.description)
        case let error as PartialImport:
            let cause = FailureReport(error.cause)
            self.init(cause.status, "\(cause.message)\n\(error.consequence)")
        case let error as StoreError:
            self.init(Self.status(of: error.code), error.message + Self.advice(on: error.code))
        case let error as KeyRingError: self.init(Self.status(of: error.code), error.message)
        case let error as SaveConflictError: self.init(Self.status(of: error.code), error.message)
        case let error as SyncError where error.code == .storeFailed:
            // A full disk is the same failure during a sync as during any other command.
            self.init(
                (error.underlying as? StoreError).map { Self.status(of: $0.code) } ?? .failure,
                error.message)
        case let error as SyncError:
            self.init(Self.status(of: error.code), error.message + Self.advice(on: error))
        case let error as ModelError:
            self.init(error.code == .unreadable ? .noInput : .data, error.description)
        case let error as ConversionError:
            self.init(Self.status(of: error.code), error.message + Self.advice(on: error.code))
        case let error as MigrationError: self.init(.data, error.description)
        case let error as FetchPredicateError:
            // Without a column it can be about a key of another option, which the message names.
            let place = error.column.map { "Can't use the predicate at column \($0). " } ?? ""
            self.init(.usage, place + error.message)
        case let error as ValidationError:
            let all = error.all.isEmpty ? [error] : error.all
            self.init(.data, all.map(\.message).joined(separator: "\n"))
        case let error as PropertyError:
            let all = error.all.isEmpty ? [error] : error.all
            self.init(Self.status(of: error.code), all.map(\.message).joined(separator: "\n"))
        case let error as ConflictError:
            self.init(
                error.code == .unknownProperty ? .data : .failure,
                error.message + Self.advice(on: error.code))
        case is CancellationError: self.init(.interrupted, "Interrupted.")
        default: self.init(.software, "\(error)")
        }
    }

    private init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    private static func status(of code: StoreError.Code) -> ExitStatus {
        switch code {
        case .cannotOpen: .noInput
        case .notAStore, .corrupt, .newerFormat, .modelMismatch, .migrationNotInferred,
            .unusableStages, .damagedBundle, .notSealed, .clockSkew:
            .data
        case .readOnly, .keyRequired, .keyMissing: .permission
        case .diskFull, .database, .notDurable, .noRandomness: .inputOutput
        case .alreadyExists: .cannotCreate
        case .busy, .storeChanged, .stagePending, .mergeConflict, .cursorMoved: .temporary
        case .constraintConflict, .saveTooLarge, .recordTooLarge: .data
        default: .failure
        }
    }

    private static func status(of code: KeyRingError.Code) -> ExitStatus {
        switch code {
        case .cannotOpen: .noInput
        case .exposed: .permission
        case .malformed, .newerFormat: .data
        case .alreadyExists: .cannotCreate
        case .cannotWrite, .notDurable: .inputOutput
        default: .failure
        }
    }

    private static func status(of code: ConversionError.Code) -> ExitStatus {
        switch code {
        case .cannotOpen: .noInput
        case .otherStore, .cannotWrite: .cannotCreate
        case .sourceChanged: .temporary
        default: .data
        }
    }

    private static func advice(on code: ConversionError.Code) -> String {
        code == .noModel ? " Type --model FILE." : ""
    }

    private static func status(of code: PropertyError.Code) -> ExitStatus {
        switch code {
        case .unknownEntity, .unknownProperty, .abstractEntity, .wrongKind, .wrongType: .usage
        default: .failure
        }
    }

    /// The advice on what to type; the library's messages do not know the command line.
    private static func advice(on code: StoreError.Code) -> String {
        switch code {
        case .keyRequired: " Type --key-ring FILE."
        case .keyMissing: " Type 'anabranch key add' to take it over from their key ring."
        default: ""
        }
    }

    private static func advice(on error: SyncError) -> String {
        switch error.code {
        case .unauthorized where error.details["certificate"] != nil:
            " Type --client-certificate FILE and --client-key FILE."
        // Something on the way to the server, such as a proxy, is the cause.
        case .unauthorized
        where error.details["reason"] == "removed" || error.details["status"] != nil:
            ""
        case .unauthorized: " Type --token-file FILE, or set ANABRANCH_TOKEN."
        case .insecureServer: " Type --allow-plain-http for that."
        case .untrustedServer
        where ["unknown-issuer", "self-signed"].contains(error.details["reason"]):
            " If you trust its issuer, type --ca-file FILE with the issuer's certificate."
        case .otherZone, .unknownCursor: " Type --move to move the store."
        default: ""
        }
    }

    private static func advice(on code: ConflictError.Code) -> String {
        code == .recordDeleted ? " Type --as-new for that." : ""
    }

    private static func status(of code: SyncError.Code) -> ExitStatus {
        switch code {
        case .invalidServer, .insecureServer, .invalidToken, .invalidZone, .noServer, .otherZone,
            .unusableCertificate:
            .usage
        case .unreachable, .timedOut, .overloaded, .untrustedServer, .damagedResponse:
            .unavailable
        case .unauthorized, .forbidden: .permission
        case .storeBusy: .temporary
        case .invalidChangeSet, .malformedRequest: .data
        default: .failure
        }
    }
}
