import Foundation

/// A bundle that is being written: it gets its name when it is whole and on the disk.
struct BundleOutput: ~Copyable {
    private let path: String
    private let partial: String
    private let file: FileHandle
    private var pending: [UInt8] = []
    private var sealer: BundleSealer?
    let seal: SealedBundleHeader?
    private(set) var byteCount = 0

    private static let pieceBytes = 1 << 18

    /// - Parameter keyRing: Its newest key seals what is written; `nil`: plain text.
    init(to path: String, sealedWith keyRing: BundleKeyRing?) throws {
        self.path = path
        partial = path + ".partial"
        guard FileManager.default.createFile(atPath: partial, contents: nil),
            let file = FileHandle(forWritingAtPath: partial)
        else {
            throw StoreError(
                .cannotOpen, "Can't write the bundle \(path) because its folder takes no file.",
                path: path)
        }
        self.file = file
        guard let keyRing else {
            seal = nil
            return
        }
        let sealer = BundleSealer(keyRing)
        seal = sealer.header
        self.sealer = consume sealer
    }

    mutating func write(_ bytes: [UInt8]) throws {
        pending += bytes
        if pending.count >= Self.pieceBytes { try flush() }
    }

    private mutating func flush() throws {
        if byteCount == 0, let seal { try put(seal.bytes) }
        try put(sealer?.seal(pending) ?? pending)
        pending.removeAll(keepingCapacity: true)
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        try translating { try file.write(contentsOf: bytes) }
        byteCount += bytes.count
    }

    mutating func finish() throws {
        try flush()
        if let end = sealer.take()?.finish() { try put(end) }
        try translating {
            try file.synchronize()
            try file.close()
            try FileManager.default.rename(partial, to: path)
        }
    }

    /// What was written of it goes.
    func discard() {
        try? file.close()
        try? FileManager.default.removeItem(atPath: partial)
    }

    private func translating(_ body: () throws -> Void) throws {
        do { try body() } catch {
            throw StoreError(
                .diskFull, "Can't write the bundle \(path): \(error.localizedDescription)",
                path: path, underlying: error)
        }
    }
}

extension FileManager {
    /// Puts a file in the place of another, at once.
    fileprivate func rename(_ old: String, to new: String) throws {
        guard Foundation.rename(old, new) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: new])
        }
    }
}
