#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What keeps a store from having the same as its zone, as it is kept in the store, so that
/// another process can tell it.
package struct SyncProblems: Sendable {
    /// Why the zone does not take the first of the waiting saves.
    package var blockedBy: SyncError?
    /// Why the last exchange broke off.
    package var lastError: SyncError?

    /// Whether it says the same to people.
    func isSame(as other: SyncProblems) -> Bool {
        Self.isSame(blockedBy, other.blockedBy) && Self.isSame(lastError, other.lastError)
    }

    private static func isSame(_ left: SyncError?, _ right: SyncError?) -> Bool {
        left?.code == right?.code && left?.message == right?.message
    }

    private struct Kept: Codable {
        let code: String
        let message: String
        let details: [String: String]
    }

    static func encoded(_ error: SyncError) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try Array(
            encoder.encode(
                Kept(
                    code: error.code.rawValue, message: error.message, details: error.details)))
    }

    static func decoded(_ bytes: [UInt8]) -> SyncError? {
        guard let kept = try? JSONDecoder().decode(Kept.self, from: Data(bytes)) else { return nil }
        return SyncError(.init(rawValue: kept.code), kept.message, details: kept.details)
    }
}
