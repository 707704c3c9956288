internal import AnabranchStore

extension SyncError {
    /// Creates the error that a failure of the store means for an exchange.
    init(storeFailure error: any Error) {
        if let refusal = error as? SyncError {
            self = refusal
            return
        }
        guard let failure = error as? StoreError else {
            self.init(
                .storeFailed, "Can't exchange changes because the store failed: \(error)",
                underlying: error)
            return
        }
        let code: Code =
            switch failure.code {
            case .busy: .storeBusy
            case .forked: .forked
            case .clockSkew: .clockSkew
            // The bytes do not have the form that the zone's log says. A new request may bring
            // undamaged ones.
            case .sequenceGap, .digestMismatch, .malformedChangeSet: .damagedResponse
            default: .storeFailed
            }
        self.init(code, failure.message, underlying: failure)
    }
}
