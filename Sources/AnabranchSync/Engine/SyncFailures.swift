#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The reasons why a store differs from its zone. They are kept in the store, so that another
/// process can report them.
package struct SyncFailures: Sendable {
    /// The reason why the zone does not accept the first unpushed save.
    package var blockedBy: SyncError?
    /// The reason why the last exchange failed.
    package var lastError: SyncError?

    /// Indicates whether two problems have the same codes and messages.
    func isSame(as other: SyncFailures) -> Bool {
        Self.isSame(blockedBy, other.blockedBy) && Self.isSame(lastError, other.lastError)
    }

    /// Indicates whether two problems have the same code and message.
    static func isSame(_ left: SyncError?, _ right: SyncError?) -> Bool {
        left?.code == right?.code && left?.message == right?.message
    }

    private struct StoredError: Codable {
        let code: String
        let message: String
        let details: [String: String]
    }

    static func encoded(_ error: SyncError) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try Array(
            encoder.encode(
                StoredError(
                    code: error.code.rawValue, message: error.message, details: error.details)))
    }

    static func decoded(_ bytes: [UInt8]) -> SyncError? {
        guard let kept = try? JSONDecoder().decode(StoredError.self, from: Data(bytes)) else {
            return nil
        }
        return SyncError(.init(rawValue: kept.code), kept.message, details: kept.details)
    }
}
