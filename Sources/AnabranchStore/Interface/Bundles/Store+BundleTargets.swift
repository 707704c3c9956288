import AnabranchReplication
import Foundation

// A new bundle replaces an older bundle or no file at all. If the environment names the store,
// `bundle create geo.store` asks to write a bundle in place of a store. That would destroy the
// store, including everything that no other replica has.
extension Store {
    /// The suffixes of a database and of the files that SQLite keeps beside it.
    private static let fileSuffixes = ["", "-wal", "-shm", "-journal"]

    /// Checks that a bundle may be written at a path.
    ///
    /// - Throws: ``StoreError`` `alreadyExists`, `cannotOpen`.
    func checkBundle(mayTakePlaceOf target: String) throws {
        guard !isOfStore(target) else {
            throw StoreError(
                .alreadyExists,
                "Can't write the bundle \(target) because that path belongs to the store \(path). "
                    + "Choose another name.", path: target)
        }
        guard let status = FileStatus(of: target) else { return }
        guard status.isRegular else {
            throw StoreError(
                .cannotOpen,
                "Can't write the bundle \(target) because "
                    + (status.isFolder ? "it is a folder." : "it is not a regular file."),
                path: target)
        }
        guard Self.isBundle(try Self.beginning(of: target)) else {
            throw StoreError(
                .alreadyExists,
                "Can't write the bundle \(target) because the existing file is not a bundle. Move "
                    + "it, or choose another name.", path: target)
        }
    }

    /// True if a path points to a file of the store, or to the path of one that SQLite creates when
    /// it needs it.
    func isOfStore(_ target: String) -> Bool {
        let store = Self.resolved(path) ?? path
        let place = Self.place(of: target)
        let status = FileStatus(of: target)
        return Self.fileSuffixes.contains { suffix in
            guard place != store + suffix else { return true }
            guard let status, let own = FileStatus(of: store + suffix) else { return false }
            return status.isSameFile(as: own)
        }
    }

    /// A path with the links in its folder resolved. The file itself may be a link or missing.
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

    /// True for the beginning of a bundle. An empty or truncated file counts as a bundle, because
    /// it holds nothing that could be lost.
    private static func isBundle(_ beginning: [UInt8]) -> Bool {
        [BundleHeader.magic, SealedBundleHeader.magic].contains { $0.starts(with: beginning) }
    }

    /// The magic bytes of the file, as many as a bundle has.
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
    /// The error for a system call that failed while a bundle was written.
    package init(writingBundle path: String, _ error: SystemError) {
        self.init(
            error.isDiskFull ? .diskFull : .cannotOpen,
            "Can't write the bundle \(path): \(error.text).", path: path, underlying: error)
    }
}
