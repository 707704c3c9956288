extension Store {
    /// Makes saves use the server's clock, so that a wrong clock of this device neither wins nor
    /// loses conflicts.
    ///
    /// - Parameter milliseconds: The milliseconds to add to the device's clock to get the server's.
    ///   A difference that a slow response may have caused counts as zero.
    package func followClock(offsetMilliseconds milliseconds: Int64) throws {
        let offset = Self.isLess(milliseconds, Self.leastClockOffset) ? 0 : milliseconds
        let present =
            try lastState?.clockOffset
            ?? read { try StoreState.read($0.connection).clockOffset }
        let (change, isTooLarge) = present.subtractingReportingOverflow(offset)
        let isSmall = !isTooLarge && Self.isLess(change, Self.leastClockOffset)
        guard !isSmall || (offset == 0 && present != 0) else { return }
        try write { $0.state.clockOffset = offset }
    }

    private static func isLess(_ difference: Int64, _ limit: Int64) -> Bool {
        difference.magnitude < limit.magnitude
    }

    /// The least difference of clocks in milliseconds that saves follow.
    package static let leastClockOffset: Int64 = 2_000
}
