extension Store {
    /// Keeps saves to the server's clock, so that a device whose own clock is wrong neither wins
    /// nor loses by it.
    ///
    /// - Parameter milliseconds: What to add to the device's clock to have the server's. A
    ///   difference that a slow answer may have made counts as none.
    package func followClock(offsetMilliseconds milliseconds: Int64) throws {
        let offset = abs(milliseconds) < Self.leastClockOffset ? 0 : milliseconds
        let present = try read { try StoreState.read($0.connection).clockOffset }
        guard abs(present - offset) >= Self.leastClockOffset || (offset == 0 && present != 0) else {
            return
        }
        try write { $0.state.clockOffset = offset }
    }

    private static let leastClockOffset: Int64 = 2_000
}
