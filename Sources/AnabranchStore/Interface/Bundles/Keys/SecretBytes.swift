import CSodium

/// Secret bytes in protected memory.
///
/// They are on pages of their own that are kept out of swap and core dumps, as far as the system
/// allows. The pages are read-only once they are filled, and are wiped before they are freed.
package final class SecretBytes: @unchecked Sendable {
    package let count: Int
    private let start: UnsafeMutablePointer<UInt8>

    /// Allocates secret bytes and fills them.
    ///
    /// - Parameter fill: Receives a pointer to `count` bytes with undefined content. It must not
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

    /// Creates secret bytes from the system's source of randomness.
    convenience init(randomCount count: Int) {
        self.init(count: count) { randombytes_buf($0, count) }
    }

    deinit { sodium_free(start) }

    /// Gives a body access to the bytes.
    ///
    /// - Parameter body: Must neither keep the pointer nor copy the bytes.
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafePointer(start))
    }

    /// Compares in constant time, so the duration does not reveal how many bytes agree.
    package func isSame(as other: SecretBytes) -> Bool {
        count == other.count && sodium_memcmp(start, other.start, count) == 0
    }
}
