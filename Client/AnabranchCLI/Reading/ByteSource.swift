import Foundation

/// Reads bytes of a file, standard input or memory, with their position.
///
/// It holds one piece at a time, so memory does not grow with the size of the input.
final class ByteSource {
    let name: String
    /// The size of the whole input; `nil` if it is not known.
    let byteCount: Int?
    private let descriptor: Int32?
    private var buffer: [UInt8]
    private var index = 0
    private var consumedBefore = 0
    private(set) var place = InputPlace(line: 1, column: 1)

    private static let pieceBytes = 1 << 16

    init(bytes: [UInt8], name: String = "input") {
        self.name = name
        byteCount = bytes.count
        descriptor = nil
        buffer = bytes
        skipByteOrderMark()
    }

    /// Opens a file.
    ///
    /// - Parameter path: `-` for standard input.
    ///
    /// - Throws: ``CommandFailure`` if there is no such file or no permission to read it.
    init(path: String) throws {
        if path == "-" {
            name = "standard input"
            byteCount = nil
            descriptor = STDIN_FILENO
        } else {
            name = path
            let opened = open(path, O_RDONLY | O_CLOEXEC)
            guard opened >= 0 else { throw Self.failure(path, errno) }
            descriptor = opened
            var status = stat()
            guard fstat(opened, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
                close(opened)
                throw CommandFailure(.noInput, "Can't read \(path) because it is a folder.")
            }
            byteCount = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        }
        buffer = []
        try fill()
        skipByteOrderMark()
    }

    deinit {
        if let descriptor, descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// The number of bytes read so far.
    var consumed: Int { consumedBefore + index }

    func peek() throws -> UInt8? {
        if index == buffer.count { try fill() }
        return index < buffer.count ? buffer[index] : nil
    }

    func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        index += 1
        if byte == UInt8(ascii: "\n") {
            place.line += 1
            place.column = 1
        } else if byte & 0xC0 != 0x80 {
            place.column += 1
        }
        return byte
    }

    /// Appends bytes up to the first one that ends a text, or that reaches a limit. That byte is
    /// not consumed.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes in `bytes`.
    ///   - isEnd: True for the bytes that end the text; a line feed must be one of them.
    @inline(__always)
    func take(into bytes: inout [UInt8], limit: Int, until isEnd: (UInt8) -> Bool) throws {
        while try peek() != nil, bytes.count < limit {
            let run = run(atMost: limit - bytes.count, until: isEnd)
            bytes += buffer[index..<run.end]
            consume(run)
            if run.end < buffer.count { return }
        }
    }

    /// Reads a text up to the first byte that ends it, if both are among the bytes that were read
    /// from the input already.
    ///
    /// - Returns: `nil`, with nothing consumed, if the end is not at hand or the text isn't UTF-8.
    @inline(__always)
    func takeText(until isEnd: (UInt8) -> Bool) -> String? {
        let run = run(atMost: buffer.count, until: isEnd)
        guard run.end < buffer.count else { return nil }
        let text = buffer.withUnsafeBufferPointer { bytes in
            let bytes = UnsafeBufferPointer(rebasing: bytes[index..<run.end])
            // ASCII needs no validation, which takes longer than all else here.
            return run.isASCII
                ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
        }
        guard let text else { return nil }
        consume(run)
        return text
    }

    /// Bytes at hand from the present one on, up to a byte that ends them.
    private struct Run {
        /// The index of the byte that ends them.
        var end: Int
        /// The number of Unicode scalars that begin in them.
        var scalarCount = 0
        var isASCII = true
    }

    @inline(__always)
    private func run(atMost count: Int, until isEnd: (UInt8) -> Bool) -> Run {
        buffer.withUnsafeBufferPointer { bytes in
            let limit = min(bytes.count, index + count)
            var (end, scalarCount, all) = (index, 0, UInt8(0))
            while end < limit, !isEnd(bytes[end]) {
                all |= bytes[end]
                if bytes[end] & 0xC0 != 0x80 { scalarCount += 1 }
                end += 1
            }
            return Run(end: end, scalarCount: scalarCount, isASCII: all < 0x80)
        }
    }

    private func consume(_ run: Run) {
        place.column += run.scalarCount
        index = run.end
    }

    private func fill() throws {
        guard let descriptor else { return }
        consumedBefore += buffer.count
        index = 0
        while true {
            var failure: Int32 = 0
            buffer = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { bytes, count in
                let got = read(descriptor, bytes.baseAddress, bytes.count)
                failure = got < 0 ? errno : 0
                count = max(got, 0)
            }
            if failure == 0 { return }
            if failure != EINTR { throw Self.failure(name, failure) }
        }
    }

    private func skipByteOrderMark() {
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    private static func failure(_ name: String, _ code: Int32) -> CommandFailure {
        let status: ExitStatus =
            switch code {
            case ENOENT, ENOTDIR: .noInput
            case EACCES, EPERM: .permission
            default: .inputOutput
            }
        return CommandFailure(
            status, "Can't read \(name) because: \(String(cString: strerror(code))).")
    }
}
