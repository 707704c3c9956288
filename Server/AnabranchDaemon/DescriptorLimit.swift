import Foundation

/// The number of descriptors that this process may open.
enum DescriptorLimit {
    /// Allows as many as the system does: the usual limit of 1,024 is for programs that use
    /// `select`.
    ///
    /// - Returns: The number that is allowed now.
    static func raise() -> Int {
        let files = Int32(RLIMIT_NOFILE.rawValue)
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        guard getrlimit(files, &limit) == 0 else { return usual }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        // A system may refuse an unlimited number.
        if setrlimit(files, &limit) != 0 { limit.rlim_cur = before }
        return Int(clamping: min(limit.rlim_cur, most))
    }

    private static let usual = 1024
    /// More are never used, so that sums with it can't overflow.
    private static let most: rlim_t = 1 << 30
}
