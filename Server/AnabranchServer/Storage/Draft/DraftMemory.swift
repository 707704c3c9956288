/// The approximate memory of a draft.
///
/// More than a little of it is taken from the memory of the request that is being written.
final class DraftMemory {
    /// The bytes of changes and of what was read.
    var byteCount = 0
    private var request: RequestMemory?
    private var reserved = 0

    /// The bytes that need no reservation.
    private static let free = 1 << 20
    /// The greatest number of bytes that are kept.
    static let limit = 8 << 20

    deinit { release() }

    /// Takes the memory from another request from now on; `nil` for a caller in this process.
    func count(for request: RequestMemory?) {
        release()
        self.request = request
    }

    /// Reserves memory for what is kept.
    ///
    /// - Returns: False if it is too much.
    func reserve() -> Bool {
        guard byteCount <= Self.limit else { return false }
        guard let request, byteCount > Self.free + reserved else { return true }
        let missing = byteCount - reserved
        guard request.take(missing) else { return false }
        reserved += missing
        return true
    }

    /// Gives the memory back.
    func release() {
        request?.release(reserved)
        reserved = 0
    }
}
