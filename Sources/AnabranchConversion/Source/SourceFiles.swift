import Foundation

/// The files of a source: the database, its write-ahead log and the folder of external values.
///
/// A source without a log is read where it is. SQLite would create files beside it, or move the log
/// into it, so a source with a log is copied first.
final class SourceFiles {
    let path: String
    /// The path of the database that is read.
    let readPath: String
    /// True if the database is a copy of its own.
    let isCopy: Bool
    private let copy: URL?
    private let before: [Stamp?]

    /// The size and the time of the last change of a file.
    private struct Stamp: Equatable {
        let size: Int64
        let changed: Date
    }

    /// Prepares a source for reading.
    ///
    /// - Parameter folder: The folder for a copy, which this value removes.
    ///
    /// - Throws: ``ConversionError`` with code `cannotOpen`.
    init(_ path: String, copyingTo folder: URL) throws {
        self.path = path
        before = Self.stamps(of: path)
        guard before[0] != nil, FileManager.default.isReadableFile(atPath: path) else {
            let cause =
                FileManager.default.fileExists(atPath: path)
                ? "this user may not read it" : "there is no such file"
            throw ConversionError(
                .cannotOpen, path: path, "Can't convert \(path) because \(cause).")
        }
        isCopy = (before[1]?.size ?? 0) > 0
        guard isCopy else {
            (readPath, copy) = (path, nil)
            return
        }
        let place = folder.appending(path: ".anabranch-conversion-\(UUID().uuidString)")
        copy = place
        readPath = place.appending(path: "source.sqlite").path
        do {
            let files = FileManager.default
            try files.createDirectory(
                at: place, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            for suffix in ["", "-wal"] {
                try files.copyItem(atPath: path + suffix, toPath: readPath + suffix)
                // A copy has the rights of its source, which may be read-only.
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: readPath + suffix)
            }
        } catch {
            try? FileManager.default.removeItem(at: place)
            throw ConversionError(
                .cannotOpen, path: path,
                "Can't copy \(path) to read its -wal file: \(error.localizedDescription)")
        }
    }

    deinit { if let copy { try? FileManager.default.removeItem(at: copy) } }

    /// Checks that no other program has written to the source.
    ///
    /// - Throws: ``ConversionError`` with code `sourceChanged`.
    func checkIsUnchanged() throws {
        guard Self.stamps(of: path) == before else {
            throw ConversionError(
                .sourceChanged, path: path,
                "Can't convert \(path) because another program has written to it meanwhile. "
                    + "Close that program, then try again.")
        }
    }

    /// The folder of the values that are files of their own.
    var externalFolder: URL {
        let url = URL(fileURLWithPath: path)
        let name = url.deletingPathExtension().lastPathComponent
        return url.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA")
    }

    private static func stamps(of path: String) -> [Stamp?] {
        ["", "-wal"].map { suffix in
            guard
                let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix),
                let size = (attributes[.size] as? NSNumber)?.int64Value,
                let changed = attributes[.modificationDate] as? Date
            else { return nil }
            return Stamp(size: size, changed: changed)
        }
    }
}
