import CSodium

/// Encrypts or decrypts consecutive chunks, which must be in the same order on both sides.
///
/// Each chunk is authenticated together with all chunks before it and with additional data. The
/// last chunk is marked as such.
///
/// Source: libsodium's `crypto_secretstream_xchacha20poly1305`.
struct SealStream: ~Copyable {
    /// The number of bytes by which a chunk grows.
    static let overhead = Int(crypto_secretstream_xchacha20poly1305_abytes())

    private typealias State = crypto_secretstream_xchacha20poly1305_state

    /// The state holds a key, so it is wiped at the end.
    private let state: UnsafeMutablePointer<State>
    private let additional: [UInt8]

    private static func newState() -> UnsafeMutablePointer<State> {
        guard let memory = sodium_malloc(MemoryLayout<State>.size) else {
            preconditionFailure("there is no memory for the state of a stream")
        }
        return memory.bindMemory(to: State.self, capacity: 1)
    }

    /// Begins to encrypt.
    ///
    /// - Parameter key: A key used for this stream only.
    /// - Parameter header: Returns the additional data to authenticate, which includes the stream's
    ///   header.
    init(sealingWith key: SecretBytes, header: (_ stream: [UInt8]) -> [UInt8]) {
        let state = Self.newState()
        var stream = [UInt8](repeating: 0, count: SealedBundleHeader.streamBytes)
        key.withUnsafeBytes { key in
            _ = crypto_secretstream_xchacha20poly1305_init_push(state, &stream, key)
        }
        self.state = state
        additional = header(stream)
    }

    /// Begins to decrypt.
    init(openingWith key: SecretBytes, _ header: SealedBundleHeader) {
        let state = Self.newState()
        let status = key.withUnsafeBytes { key in
            crypto_secretstream_xchacha20poly1305_init_pull(state, header.stream, key)
        }
        precondition(status == 0, "libsodium begins a stream with any header of its length")
        self.state = state
        additional = header.bytes
    }

    deinit { sodium_free(state) }

    mutating func seal(_ chunk: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
        let (state, additional) = (state, additional)
        let tag =
            isLast
            ? crypto_secretstream_xchacha20poly1305_tag_final()
            : crypto_secretstream_xchacha20poly1305_tag_message()
        return [UInt8](unsafeUninitializedCapacity: chunk.count + Self.overhead) { out, count in
            let status = chunk.withUnsafeBufferPointer { chunk in
                crypto_secretstream_xchacha20poly1305_push(
                    state, out.baseAddress, nil, chunk.baseAddress, UInt64(chunk.count),
                    additional, UInt64(additional.count), tag)
            }
            precondition(status == 0, "libsodium encrypts whatever it is given")
            count = chunk.count + Self.overhead
        }
    }

    /// Decrypts a chunk.
    ///
    /// - Parameter chunk: At least `overhead` bytes.
    /// - Returns: `nil` for bytes that are not the next chunk of this stream.
    mutating func open(_ chunk: ArraySlice<UInt8>) -> (bytes: [UInt8], isLast: Bool)? {
        let (state, additional) = (state, additional)
        var tag: UInt8 = 0
        var isGenuine = false
        let bytes = [UInt8](
            unsafeUninitializedCapacity: chunk.count - Self.overhead
        ) { out, count in
            let status = chunk.withUnsafeBufferPointer { chunk in
                crypto_secretstream_xchacha20poly1305_pull(
                    state, out.baseAddress, nil, &tag, chunk.baseAddress, UInt64(chunk.count),
                    additional, UInt64(additional.count))
            }
            isGenuine = status == 0
            count = isGenuine ? chunk.count - Self.overhead : 0
        }
        guard isGenuine else { return nil }
        return (bytes, tag == crypto_secretstream_xchacha20poly1305_tag_final())
    }
}
