internal import CZstd

/// Compression of bodies.
enum Zstandard {
    /// The least number of bytes that are compressed. For fewer bytes the additional headers cost
    /// more than compression saves.
    static let leastWorthwhile = 1024
    /// The level of compression. It is the fastest level that still reduces the columns of change
    /// sets to half their size.
    private static let level: Int32 = 1
    /// The logarithm of the greatest accepted window, 32 MiB, so that a small body can't demand
    /// much memory.
    private static let greatestWindowLog: Int32 = 25

    /// Compresses bytes.
    ///
    /// - Returns: The compressed bytes, or `nil` if they are hardly fewer.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= leastWorthwhile else { return nil }
        let bound = ZSTD_compressBound(bytes.count)
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            let written = ZSTD_compress(buffer.baseAddress, buffer.count, bytes, bytes.count, level)
            count = ZSTD_isError(written) == 0 ? written : 0
        }
        let isWorthwhile = !compressed.isEmpty && compressed.count < bytes.count / 10 * 9
        return isWorthwhile ? compressed : nil
    }

    /// Decompresses bytes.
    ///
    /// - Parameter limit: The greatest length of the result. No more is allocated, whatever the
    ///   input claims.
    /// - Throws: `SyncError` with code `responseTooLarge` or `damagedResponse`.
    static func decompress(_ bytes: [UInt8], limit: Int) throws(SyncError) -> [UInt8] {
        guard let context = ZSTD_createDCtx() else { throw damaged("there is not enough memory") }
        defer { ZSTD_freeDCtx(context) }
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, greatestWindowLog)
        let result = bytes.withUnsafeBytes { source in
            Result { () throws(SyncError) in
                try decompress(source, with: context, limit: limit)
            }
        }
        return try result.get()
    }

    private static func decompress(
        _ source: UnsafeRawBufferPointer, with context: OpaquePointer, limit: Int
    ) throws(SyncError) -> [UInt8] {
        var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
        var result: [UInt8] = []
        var rest = 1
        while input.pos < input.size || rest > 0 {
            let before = (input.pos, result.count)
            rest = try decompressChunk(&input, into: &result, with: context)
            guard result.count <= limit else {
                throw SyncError(
                    .responseTooLarge,
                    "Can't use the response because it has more than \(limit) bytes.")
            }
            if rest == 0, input.pos == input.size { break }
            guard (input.pos, result.count) != before else {
                throw damaged("its bytes end too early")
            }
        }
        return result
    }

    /// Decompresses the next bytes and appends them to the result.
    ///
    /// - Returns: Zero at the end of a frame, otherwise a positive number.
    private static func decompressChunk(
        _ input: inout ZSTD_inBuffer, into result: inout [UInt8], with context: OpaquePointer
    ) throws(SyncError) -> Int {
        var rest = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: ZSTD_DStreamOutSize()) { buffer, count in
            var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
            rest = ZSTD_decompressStream(context, &output, &input)
            count = output.pos
        }
        guard ZSTD_isError(rest) == 0 else {
            throw damaged(String(cString: ZSTD_getErrorName(rest)))
        }
        result.append(contentsOf: chunk)
        return rest
    }

    private static func damaged(_ cause: String) -> SyncError {
        SyncError(.damagedResponse, "Can't decompress the response because \(cause).")
    }
}
