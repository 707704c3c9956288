public import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
public import Foundation

/// The conversion of a store of Core Data or SwiftData into a store of Anabranch.
///
/// ```swift
/// let conversion = StoreConversion(source: old)
/// let report = try conversion.run(to: new)
/// for doubt in report.doubts { print(doubt) }
/// ```
///
/// The source is opened for reading and never changed, and neither are the files beside it. The new
/// store appears when it is complete: a crash leaves no store, or the whole one.
///
/// Objects get IDs that follow from the source's UUID, their table and their primary key, so
/// another conversion of the source creates the same objects. Their old URIs, such as
/// `x-coredata://UUID/Person/p7`, still name them in the new store.
///
/// If the source keeps a persistent history, each of its transactions becomes a change set with its
/// author, context name and time. An object has its present values from the transaction that
/// inserted it, and the last transaction that changed it writes them again: the history does not
/// keep what the others wrote. Everything that is older than the history is one change set.
public struct StoreConversion {
    /// The `.sqlite` file of the source. A `-wal` file beside it is read too.
    public let source: URL
    /// The model; `nil` is the one that the source keeps of itself.
    public let model: ManagedObjectModel?
    /// Called now and then with the numbers of objects that are done and that there are.
    public var progress: ((_ done: Int, _ total: Int) -> Void)?

    /// Prepares a conversion.
    ///
    /// - Parameters:
    ///   - source: The `.sqlite` file of the source.
    ///   - model: The model; `nil` is the one that the source keeps of itself.
    public init(source: URL, model: ManagedObjectModel? = nil) {
        self.source = source
        self.model = model
    }

    /// Reads the model that the source keeps of itself.
    ///
    /// - Throws: ``ConversionError`` with code `noModel` if it keeps none; `ModelError` if the
    /// model
    ///   has parts that cannot be used.
    public func sourceModel() throws -> ManagedObjectModel {
        let folder = FileManager.default.temporaryDirectory
        return try model(of: CoreDataFile(path: source.path, copyingTo: folder))
    }

    /// Converts the source.
    ///
    /// A store that this conversion has created before is left as it is, with everything that was
    /// saved in it since.
    ///
    /// - Parameter store: The file of the new store.
    /// - Throws: ``ConversionError``, `ModelError`, `StoreError`. There is then no new store, and
    /// an
    ///   existing one is unchanged.
    public func run(to store: URL) throws -> ConversionReport {
        do {
            return try convert(to: store.path)
        } catch let error as SQLiteError {
            throw ConversionError(reading: source.path, error)
        }
    }

    private func convert(to path: String) throws -> ConversionReport {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let file = try CoreDataFile(path: source.path, copyingTo: folder)
        let existing = try ExistingStore(path: path, source: file)
        let model = try model ?? self.model(of: file)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let context = try SourceContext(file, model, latestTime: existing?.latestTime ?? now)
        let saves = try context.saves()
        let building = try StoreBuilding(
            of: path, model: model, environment: .converting(context.names))
        let total = context.rows.counts.reduce(0, +)
        try building.store.save {
            guard var save = try saves.next() else { return nil }
            let next = save.next
            save.next = {
                progress?(saves.objectCount, total)
                return try next()
            }
            return save
        }
        try CountCheck(context: context).run()
        try file.files.checkIsUnchanged()
        var names = context.names
        names.origin = try building.store.lastOrigin(of: names.replica)
        if let existing {
            try existing.checkIsResult(names)
        } else {
            try building.store.setConvertedSource(names)
            // The next conversion of the source saves under this replica ID too.
            try building.store.renewIdentity()
            try building.finish()
        }
        return ConversionReport(
            outcome: existing == nil ? .created : .unchanged, sourceUUID: file.uuid, model: model,
            objectCounts: context.objectCounts, linkCount: saves.linkCount,
            history: saves.history, doubts: context.doubts.doubts)
    }

    private func model(of file: CoreDataFile) throws -> ManagedObjectModel {
        guard let model = try CachedModel.read(file) else {
            throw ConversionError(
                .noModel, path: source.path,
                "Can't convert \(source.path) because it keeps no model of itself. Give the model "
                    + "of its app.")
        }
        return model
    }
}

extension StoreEnvironment {
    /// The environment of a conversion, in which nothing depends on the place or the time.
    fileprivate static func converting(_ names: ConvertedSource) -> StoreEnvironment {
        let bytes = names.replica.bytes
        return StoreEnvironment(
            wallMilliseconds: { HistoryTransactions.calendarBeginning },
            randomBytes: { count in (0..<count).map { bytes[$0 % bytes.count] } })
    }
}

extension SourceContext {
    /// - Parameter latestTime: The greatest time of the history that is taken for one, in
    ///   milliseconds since 1970-01-01 UTC.
    fileprivate init(_ file: CoreDataFile, _ model: ManagedObjectModel, latestTime: Int64) throws {
        let doubts = DoubtList(uuid: file.uuid)
        let layout = try SourceLayout(file, model, doubts)
        var entities: [String: ConvertedSource.Entity] = [:]
        for source in layout.entities {
            entities[source.entity.name] = ConvertedSource.Entity(
                table: source.table, wireName: source.entity.wireName.string)
        }
        let names = ConvertedSource(
            uuid: file.uuid, tableCount: layout.roots.count, entities: entities)
        self.init(
            file: file, layout: layout, rows: try SourceRows(file, layout, names, doubts),
            names: names, doubts: doubts)
        history = try SourceHistory.read(self, latest: latestTime)
        if history?.hasLaterTimes == true { self.names.latestTime = latestTime }
    }

    fileprivate func saves() throws -> any ConvertedSaves {
        try history.map { try HistorySaves(self, $0) } ?? ConvertedPieces(self)
    }

    fileprivate var objectCounts: [String: Int] {
        let counts = layout.entities.enumerated().map { ($1.entity.name, rows.counts[$0]) }
        return Dictionary(counts, uniquingKeysWith: { first, _ in first })
    }
}
