package import Foundation

/// Messages over a pair of pipes: a length of eight bytes, little-endian, then the JSON.
package struct MessageStream {
    let input: FileHandle
    let output: FileHandle

    package init(input: FileHandle, output: FileHandle) {
        self.input = input
        self.output = output
    }

    /// The greatest length of a message; no source of a class is nearly as long.
    static let byteLimit: UInt64 = 1 << 30

    package enum Failure: Error, Equatable {
        /// The input ended within a message.
        case cutShort
        case tooLong(byteCount: UInt64)
        /// The reader of the output has ended.
        case closed
    }

    /// Reads a message; `nil` if the input ends before it.
    func next() throws -> Data? {
        let header = try read(8)
        if header.isEmpty { return nil }
        guard header.count == 8 else { throw Failure.cutShort }
        let byteCount = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard byteCount <= Self.byteLimit else { throw Failure.tooLong(byteCount: byteCount) }
        let message = try read(Int(byteCount))
        guard message.count == byteCount else { throw Failure.cutShort }
        return message
    }

    func send(_ message: Data) throws {
        let header = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(message.count) >> (8 * $0)) }
        do {
            try output.write(contentsOf: Data(header) + message)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let isClosed = cause?.domain == NSPOSIXErrorDomain && cause?.code == Int(EPIPE)
            throw isClosed ? Failure.closed : error
        }
    }

    /// Reads `byteCount` bytes, or fewer at the end of the input.
    private func read(_ byteCount: Int) throws -> Data {
        var bytes = Data()
        while bytes.count < byteCount {
            guard let more = try input.read(upToCount: byteCount - bytes.count), !more.isEmpty
            else { break }
            bytes += more
        }
        return bytes
    }
}
