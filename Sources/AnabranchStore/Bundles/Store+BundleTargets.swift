import AnabranchReplication
import Foundation

// A bundle takes the place of an older bundle, or of nothing. Where the environment names the
// store, `bundle create geo.store` asks for a bundle in the place of a store: what is there would
// be gone at once, and with it what nobody else has.
extension Store {
    /// What SQLite keeps beside a database, with itself.
    private static let fileSuffixes = ["", "-wal", "-shm", "-journal"]

    /// - Throws: ``StoreError`` `alreadyExists`, `cannotOpen`.
    func checkBundle(mayTakePlaceOf target: String) throws {
        guard !isOfStore(target) else {
            throw StoreError(
                .alreadyExists,
                "Can't write the bundle \(target) because the store \(path) is there, or what "
                    + "belongs to it. Choose another name.", path: target)
        }
        guard let status = FileStatus(of: target) else { return }
        guard status.isRegular else {
            throw StoreError(
                .cannotOpen,
                "Can't write the bundle \(target) because "
                    + (status.isFolder ? "a folder is there." : "what is there is no file."),
                path: target)
        }
        guard Self.isBundle(try Self.beginning(of: target)) else {
            throw StoreError(
                .alreadyExists,
                "Can't write the bundle \(target) because the file that is there is no bundle. "
                    + "Move it away, or choose another name.", path: target)
        }
    }

    /// Whether a path leads to a file of the store, or to a place that one of them takes when it
    /// is needed.
    private func isOfStore(_ target: String) -> Bool {
        let store = Self.resolved(path) ?? path
        let place = Self.place(of: target)
        let status = FileStatus(of: target)
        return Self.fileSuffixes.contains { suffix in
            guard place != store + suffix else { return true }
            guard let status, let own = FileStatus(of: store + suffix) else { return false }
            return status.isSameFile(as: own)
        }
    }

    /// A path whose folder is named without links; what lies there may be one, or nothing.
    private static func place(of path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().path
        return URL(fileURLWithPath: resolved(folder) ?? folder)
            .appendingPathComponent(url.lastPathComponent).path
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// An empty file is nothing that could be lost, and a bundle that was cut is one, too.
    private static func isBundle(_ beginning: [UInt8]) -> Bool {
        [BundleHeader.magic, SealedBundleHeader.magic].contains { $0.starts(with: beginning) }
    }

    /// As many bytes as a bundle has before its version.
    private static func beginning(of target: String) throws -> [UInt8] {
        let file = Foundation.open(target, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw StoreError(writingBundle: target, SystemError()) }
        defer { Foundation.close(file) }
        var bytes = [UInt8](repeating: 0, count: BundleHeader.magic.count)
        let count = Foundation.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw StoreError(writingBundle: target, SystemError()) }
        return Array(bytes.prefix(count))
    }
}

extension StoreError {
    /// What the system refused where a bundle was to be written.
    package init(writingBundle path: String, _ error: SystemError) {
        self.init(
            error.isDiskFull ? .diskFull : .cannotOpen,
            "Can't write the bundle \(path): \(error.text).", path: path, underlying: error)
    }
}
