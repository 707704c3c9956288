import CZstd

/// Zstandard for bodies, with a limit on the decompressed size.
enum ZstdCodec {
    enum Failure: Error, Hashable {
        case tooLarge(limit: Int)
        /// There is no memory for the output now.
        case noRoom
        case damaged(String)
    }

    /// The least size of a body for which compression saves bytes.
    static let leastBytes = 256
    private static let level: Int32 = 3
    /// The largest window, 2^23 bytes, which every level up to 19 uses.
    ///
    /// Without this limit a small frame could demand a very large buffer.
    private static let greatestWindowLog: Int32 = 23

    /// The number of bytes that are expected of each byte of a frame, whatever it announces.
    private static let mostExpected = 32

    /// Decompresses all frames.
    ///
    /// Memory grows only with the output, beside a window of at most 8 MiB. If the frame tells its
    /// size, as those of this codec do, the output is not moved while it grows, unless it is very
    /// much larger than the frame: a few bytes may not reserve what only they announce.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of output bytes, which stops a decompression bomb.
    ///   - reserve: Reserves memory for a number of bytes before they are allocated; false if
    ///     there is none.
    ///
    /// - Throws: `tooLarge` if the output exceeds the limit, `noRoom`, or `damaged`.
    static func decompressed(
        _ bytes: [UInt8], limit: Int, reserving reserve: (Int) -> Bool = { _ in true }
    ) throws(Failure) -> [UInt8] {
        guard let context = ZSTD_createDCtx() else { throw .damaged("there is no memory") }
        defer { ZSTD_freeDCtx(context) }
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, greatestWindowLog)
        var output: [UInt8] = []
        let announced = announcedSize(of: bytes)
        guard announced <= limit else { throw .tooLarge(limit: limit) }
        try grow(
            &output, to: min(announced, mostExpected * bytes.count), limit: limit, reserve)
        var chunk = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
        var position = 0
        var rest = 1
        while position < bytes.count || rest != 0 {
            let step = decompress(context, bytes, from: position, into: &chunk)
            if ZSTD_isError(step.status) != 0 {
                throw .damaged(String(cString: ZSTD_getErrorName(step.status)))
            }
            guard step.read > 0 || step.written > 0 else { throw .damaged("it ends early") }
            position += step.read
            rest = step.status
            try grow(&output, to: output.count + step.written, limit: limit, reserve)
            output.append(contentsOf: chunk[..<step.written])
        }
        return output
    }

    /// The size that a frame tells of itself; zero if it does not.
    private static func announcedSize(of bytes: [UInt8]) -> Int {
        let size = ZSTD_getFrameContentSize(bytes, bytes.count)
        // The two greatest numbers say that the size is not known, and that this is no frame.
        return size < UInt64.max - 1 ? Int(clamping: size) : 0
    }

    /// Makes room for a number of bytes, at least twice as many as before.
    private static func grow(
        _ output: inout [UInt8], to count: Int, limit: Int, _ reserve: (Int) -> Bool
    ) throws(Failure) {
        guard count <= limit else { throw .tooLarge(limit: limit) }
        guard count > output.capacity else { return }
        let capacity = min(max(count, 2 * output.capacity), limit)
        // The former bytes stay until they are copied.
        guard reserve(capacity) else { throw .noRoom }
        output.reserveCapacity(capacity)
    }

    private static func decompress(
        _ context: OpaquePointer, _ bytes: [UInt8], from position: Int, into chunk: inout [UInt8]
    ) -> (status: Int, read: Int, written: Int) {
        bytes.withUnsafeBytes { source in
            chunk.withUnsafeMutableBytes { target in
                var input = ZSTD_inBuffer(
                    src: source.baseAddress, size: source.count, pos: position)
                var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
                let status = ZSTD_decompressStream(context, &output, &input)
                return (status, input.pos - position, output.pos)
            }
        }
    }

    /// Compresses a body.
    ///
    /// - Parameter reserve: Reserves memory for a number of bytes before they are allocated; false
    ///   if there is none.
    ///
    /// - Returns: `nil` if that saves less than a sixteenth, or if there is no memory for it.
    static func compressed(
        _ bytes: [UInt8], reserving reserve: (Int) -> Bool = { _ in true }
    ) -> [UInt8]? {
        guard bytes.count >= leastBytes, reserve(ZSTD_compressBound(bytes.count)) else {
            return nil
        }
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        let count = ZSTD_compress(&output, output.count, bytes, bytes.count, level)
        guard ZSTD_isError(count) == 0, count < bytes.count - bytes.count / 16 else { return nil }
        output.removeLast(output.count - count)
        return output
    }
}
