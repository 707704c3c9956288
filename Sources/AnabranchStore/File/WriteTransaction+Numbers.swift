import AnabranchReplication

extension WriteTransaction {
    func reserveNumbers(_ count: Int) throws -> ClosedRange<LocalID> {
        let first = state.nextNumber
        let last = first + UInt64(max(count, 1)) - 1
        guard last <= Limits.greatestRecordNumber else {
            throw StoreError(
                .exhausted, "Can't insert because the replica has used all 2^40 record numbers.",
                path: store.path)
        }
        if !environment.disabled.contains(.numberReservation) { state.nextNumber = last + 1 }
        return LocalID(
            ordinal: state.ordinal, number: first)...LocalID(
                ordinal: state.ordinal, number: last)
    }
}
