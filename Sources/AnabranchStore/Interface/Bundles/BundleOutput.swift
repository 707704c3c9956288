/// A bundle that is being written. It gets its name when it is complete and on the disk.
struct BundleOutput: ~Copyable {
    private let path: String
    private let file: PartialFile
    private var pending: [UInt8] = []
    private var sealer: BundleSealer?
    let seal: SealedBundleHeader?
    private(set) var byteCount = 0

    private static let pieceBytes = 1 << 18

    /// Begins a bundle.
    ///
    /// - Parameter keyRing: The key ring; its newest key seals the bundle. `nil` writes plain text.
    init(to path: String, sealedWith keyRing: BundleKeyRing?) throws {
        self.path = path
        do throws(SystemError) { file = try PartialFile(of: path, rights: 0o666) } catch {
            throw StoreError(writingBundle: path, error)
        }
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
        do {
            try bytes.withUnsafeBytes { try file.write($0) }
        } catch let error as SystemError { throw StoreError(writingBundle: path, error) }
        byteCount += bytes.count
    }

    mutating func finish() throws {
        try flush()
        if let end = sealer.take()?.finish() { try put(end) }
        do throws(SystemError) {
            try file.synchronize()
            try file.replaceTarget()
        } catch { throw StoreError(writingBundle: path, error) }
        do throws(SystemError) { try PartialFile.synchronizeFolder(of: path) } catch {
            throw StoreError(
                .notDurable,
                "The bundle \(path) is written, but a power failure may still remove it: "
                    + "\(error.text). Export it again.", path: path, underlying: error)
        }
    }
}
