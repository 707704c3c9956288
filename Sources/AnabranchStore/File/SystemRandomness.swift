import CSystem
import Foundation

/// Randomness of the operating system, for identities.
///
/// The standard library's generator ends the process if the system has no randomness. Here that is
/// an error, and the caller's data stay as they were.
enum SystemRandomness {
    /// The most bytes that one call of `getentropy` gives.
    private static let maximumAtOnce = 256

    /// - Throws: ``SystemError`` if the system has no source of randomness.
    static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
        #if os(Linux) || os(Android)
            var bytes = [UInt8](repeating: 0, count: count)
            for start in stride(from: 0, to: count, by: maximumAtOnce) {
                let length = min(maximumAtOnce, count - start)
                let failed = bytes.withUnsafeMutableBytes { buffer in
                    getentropy(buffer.baseAddress! + start, length) != 0
                }
                if failed { throw SystemError() }
            }
            return bytes
        #else
            // Elsewhere the system's generator can't fail.
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #endif
    }
}
