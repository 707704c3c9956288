public import AnabranchProtocol

extension ZoneService {
    /// The zone's own quotas.
    public func quotas() throws(ProtocolError) -> ZoneQuotas {
        try named { try storage.read { try $0.quotas() } }
    }

    /// Replaces the zone's own quotas. They hold from the next push on, for all daemons.
    public func setQuotas(_ quotas: ZoneQuotas) throws(ProtocolError) {
        try named { try transactions.write { $0.setQuotas(quotas) } }
    }

    /// The used amount of each quantity.
    public func amounts() throws(ProtocolError) -> [ZoneQuotas.Quantity: Int64] {
        try named {
            let use = try storage.read { try $0.use() }
            let today = QuotaCheck.day(of: wallMilliseconds())
            return Dictionary(
                uniqueKeysWithValues: ZoneQuotas.Quantity.allCases.map {
                    ($0, use.amount(of: $0, on: today))
                })
        }
    }

    /// The quotas, the server's defaults included, with what is used of them.
    func quotaUses(_ reader: any ZoneReading) throws -> [QuotaUse] {
        QuotaCheck(
            try reader.quotas(), orElse: limits.quotas, wallMilliseconds: wallMilliseconds()
        )
        .uses(try reader.use())
    }
}
