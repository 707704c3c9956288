import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation

/// A file that keeps a result for the next fetch.
///
/// It holds the IDs in their order and their sort keys, which determine the sections; a fetch with
/// a cache evaluates and sorts nothing. It is used only for the request and the state of the store
/// for which it was written. Digests identify both, and so it is never stale. A context that does
/// not show exactly one state of the store, for example because of unsaved changes, uses no cache.
/// A file that is missing, damaged or of another format counts as no file and is written again. A
/// file that can't be written is not an error, because the result is the same without it.
///
/// Format: `ABRESULT`, a version byte, the digest of all that follows. Then, in the encodings of
/// change sets: the key, a flag for a horizon in the last entry, the number of keys of an entry,
/// the count of entries, and for each entry its ID, its entity and its keys.
struct ResultsCache {
    private let file: URL
    private let context: ManagedObjectContext

    private static let magic = Array("ABRESULT".utf8) + [1]
    private static let ending = "results"

    /// - Returns: `nil` if there is no directory for the cache, or the context has unsaved
    ///   changes.
    init?(named name: String, in directory: URL?, for context: ManagedObjectContext) {
        guard context.parent == nil, !context.hasChanges,
            let folder = Self.folder(directory, context.coordinator)
        else { return nil }
        self.context = context
        file = Self.file(named: name, in: folder)
    }

    private static func file(named name: String, in folder: URL) -> URL {
        folder.appending(path: "\(digest(Array(name.utf8))).\(ending)")
    }

    /// Returns the directory of a store's cache files, which lies in the given directory or beside
    /// the store's file.
    ///
    /// Its name is the name of the store's file with the suffix `-results`. Stores with different
    /// file names can therefore share a parent directory.
    ///
    /// - Returns: `nil` for a store in memory if no directory is given.
    private static func folder(
        _ directory: URL?, _ coordinator: PersistentStoreCoordinator
    ) -> URL? {
        let store = coordinator.url
        // A store in memory has no directory for it.
        if directory == nil, PersistentStoreDescription.isInMemory(store) { return nil }
        let parent = directory ?? store.deletingLastPathComponent()
        return parent.appending(path: store.lastPathComponent + "-\(ending)")
    }

    static func delete(
        named name: String?, in directory: URL?, of coordinator: PersistentStoreCoordinator
    ) throws {
        guard let folder = folder(directory, coordinator) else { return }
        let file = name.map { Self.file(named: $0, in: folder) } ?? folder
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        try FileManager.default.removeItem(at: file)
    }

    /// Returns a digest that identifies the request and the state of the store that the context
    /// reads.
    ///
    /// - Throws: `StoreError`.
    func key<Object>(
        of request: FetchRequest<Object>, sectionNameKeyPath: String?
    ) throws -> Digest {
        var writer = ByteWriter()
        writer.append(digest: try context.readStore { try $0.contentDigest() })
        writer.append(string: request.entityName)
        writer.append(string: request.predicate.map { "\($0)" } ?? "")
        for (name, value) in request.variables.sorted(by: { $0.key < $1.key }) {
            writer.append(string: name)
            let expression = try value?.predicateExpression
            writer.append(string: expression.map { "\($0)" } ?? "")
        }
        writer.append(count: request.sorts.count)
        for sort in request.sorts {
            writer.append(string: sort.keyPath)
            writer.append(byte: sort.isAscending ? 1 : 0)
            writer.append(byte: sort.options.rawValue)
        }
        writer.append(signed: Int64(request.fetchLimit))
        writer.append(signed: Int64(request.fetchOffset))
        writer.append(byte: request.includesSubentities ? 1 : 0)
        writer.append(string: sectionNameKeyPath ?? "")
        return Self.digest(writer.bytes)
    }

    private static func digest(_ bytes: [UInt8]) -> Digest {
        var digest = DigestBuilder()
        digest.update(bytes)
        return digest.finish()
    }
}

extension ResultsCache {
    /// - Returns: `nil` if there is no intact file for the key.
    func read(_ key: Digest) -> ResultsReader.Whole? {
        guard let data = try? Data(contentsOf: file), data.starts(with: Self.magic) else {
            return nil
        }
        return try? decode(Array(data.dropFirst(Self.magic.count)), key)
    }

    private func decode(
        _ bytes: [UInt8], _ key: Digest
    ) throws(ChangeSetDecodingError) -> ResultsReader.Whole? {
        var reader = ByteReader(bytes)
        let digest = try reader.readDigest()
        guard digest == Self.digest(Array(bytes.dropFirst(Digest.byteCount))),
            try reader.readDigest() == key
        else { return nil }
        let hasHorizon = try reader.readFlag()
        guard let keyCount = Int(exactly: try reader.readVarint()),
            let count = Int(exactly: try reader.readVarint())
        else { return nil }
        var entries: [ResultEntry] = []
        for _ in 0..<count {
            let id = try reader.readSigned()
            let entity = Int(truncatingIfNeeded: try reader.readVarint())
            guard context.coordinator.model.entities.indices.contains(entity) else { return nil }
            var keys: [PropertyValue] = []
            for _ in 0..<keyCount { keys.append(try reader.readTagged()) }
            entries.append(ResultEntry(id: id, entityIndex: entity, keys: keys))
        }
        try reader.expectEnd()
        return ResultsReader.Whole(
            entries: entries, horizon: hasHorizon ? entries.last : nil, isStored: true)
    }

    func write(_ whole: ResultsReader.Whole, _ key: Digest) {
        var content = ByteWriter()
        content.append(digest: key)
        content.append(byte: whole.horizon == nil ? 0 : 1)
        content.append(count: whole.entries.first?.keys.count ?? 0)
        content.append(count: whole.entries.count)
        for entry in whole.entries {
            content.append(signed: entry.id)
            content.append(count: entry.entityIndex)
            for key in entry.keys { content.append(tagged: key) }
        }
        var bytes = Self.magic
        bytes += Self.digest(content.bytes).bytes
        bytes += content.bytes
        // The file holds values of the store, and so other users must not read it.
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try? Data(bytes).write(to: file, options: .atomic)
    }
}
