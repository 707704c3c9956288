import AnabranchModel
import AnabranchSQLite
import CZlib
import Foundation

/// The model that a source keeps of itself, compressed.
enum CachedModel {
    /// The greatest size of a decompressed model, against damaged or hostile sources.
    private static let largestByteCount = 16 << 20

    /// Reads the model.
    ///
    /// - Returns: `nil` if the source keeps none, as stores of 2009 and earlier.
    /// - Throws: ``ConversionError`` with code `corrupt`; ``ModelError``.
    static func read(_ file: CoreDataFile) throws -> ManagedObjectModel? {
        let path = file.files.path
        let hasTable = try file.connection.firstValue(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE'")
        guard hasTable != nil else { return nil }
        let content = try file.connection.firstValue("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        guard case .blob(let bytes)? = content, !bytes.isEmpty else { return nil }
        guard let archive = inflated(bytes) else {
            throw ConversionError(
                .corrupt, path: path,
                "Can't read the model that \(path) keeps because its compression is damaged. "
                    + "Give the model of its app.")
        }
        return try ManagedObjectModel.reading(compiled: Data(archive), file: path)
    }

    /// Decompresses raw DEFLATE data, which has no header.
    static func inflated(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        let version = ZLIB_VERSION
        guard
            inflateInit2_(&stream, -MAX_WBITS, version, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { inflateEnd(&stream) }
        var input = bytes
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        return input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            while result.count <= largestByteCount {
                let status = chunk.withUnsafeMutableBufferPointer { chunk in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    return inflate(&stream, Z_NO_FLUSH)
                }
                result.append(contentsOf: chunk.prefix(chunk.count - Int(stream.avail_out)))
                if status == Z_STREAM_END { return result }
                guard status == Z_OK else { return nil }
            }
            return nil
        }
    }
}
