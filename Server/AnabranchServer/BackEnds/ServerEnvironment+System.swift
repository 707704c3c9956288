import CSodium
import Foundation

extension ServerEnvironment {
    /// The system's clock, and libsodium's random number generator.
    public static let system = ServerEnvironment(
        wallMilliseconds: { Int64(Date().timeIntervalSince1970 * 1000) },
        randomBytes: { count in
            var bytes = [UInt8](repeating: 0, count: count)
            randombytes_buf(&bytes, count)
            return bytes
        })
}
