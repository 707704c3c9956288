import CSodium

/// Bytes that nobody else is to read.
///
/// They lie on pages of their own, which are kept out of swap and core dumps as far as the system
/// allows, can't be written to once they are filled, and are wiped before they are given back.
package final class SecretBytes: @unchecked Sendable {
    package let count: Int
    private let start: UnsafeMutablePointer<UInt8>

    /// - Parameter fill: Gets the first of as many bytes, whose content is not defined. It must not
    ///   keep the pointer.
    init(count: Int, filledBy fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        precondition(sodium_init() >= 0, "libsodium found no source of randomness")
        guard let start = sodium_malloc(count) else {
            preconditionFailure("there is no memory for \(count) secret bytes")
        }
        self.count = count
        self.start = start.bindMemory(to: UInt8.self, capacity: count)
        fill(self.start)
        sodium_mprotect_readonly(start)
    }

    /// Bytes from the system's source of randomness.
    convenience init(randomCount count: Int) {
        self.init(count: count) { randombytes_buf($0, count) }
    }

    deinit { sodium_free(start) }

    /// - Parameter body: Must neither keep the pointer nor copy what it points to.
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafePointer(start))
    }

    /// Compares in a time that does not tell how far the two agree.
    package func isSame(as other: SecretBytes) -> Bool {
        count == other.count && sodium_memcmp(start, other.start, count) == 0
    }
}
