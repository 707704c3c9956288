internal import AnabranchProtocol

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ZoneQuota {
    init(_ use: QuotaUse) { self.init(name: use.name, limit: use.limit, used: use.used) }

    /// The form in which a store keeps quotas for people.
    static func encoded(_ quotas: [ZoneQuota]) throws -> [UInt8]? {
        guard !quotas.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try Array(encoder.encode(quotas))
    }

    /// Reads stored quotas; none if this version can't read them.
    static func decoded(_ bytes: [UInt8]) -> [ZoneQuota] {
        (try? JSONDecoder().decode([ZoneQuota].self, from: Data(bytes))) ?? []
    }
}
