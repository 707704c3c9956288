/// The rate at which a request's body arrives.
///
/// The rate counts in each window of time anew, so bytes that came fast do not pay for a client
/// that sends hardly anything afterwards and keeps the memory of its body.
struct UploadPace: Sendable {
    /// The time in which the least number of bytes must arrive.
    static let window = Duration.seconds(20)

    private var start: ContinuousClock.Instant
    private var byteCount = 0

    /// Begins the first window.
    init(from start: ContinuousClock.Instant) { self.start = start }

    /// Counts bytes that have arrived.
    ///
    /// - Parameter least: The least number of bytes in a second.
    ///
    /// - Returns: False if fewer bytes have arrived in a window that has passed.
    mutating func keeps(
        _ least: Int, with count: Int, at now: ContinuousClock.Instant
    ) -> Bool {
        byteCount += count
        let elapsed = now - start
        guard elapsed >= Self.window else { return true }
        let isEnough = Double(byteCount) >= Double(least) * (elapsed / .seconds(1))
        self = UploadPace(from: now)
        return isEnough
    }
}
