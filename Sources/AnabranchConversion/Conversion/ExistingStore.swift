import AnabranchStore
import Foundation

/// A store that is already at the place of a conversion's result.
struct ExistingStore {
    private let path: String
    private let names: ConvertedSource

    /// Looks for a store; `nil` if there is no file.
    ///
    /// - Throws: ``ConversionError`` with code `otherStore` if it was not converted from the
    /// source.
    init?(path: String, source: CoreDataFile) throws {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        self.path = path
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try Store.open(at: path, model: nil, options: options)
        defer { store.close() }
        guard let names = try store.convertedSource(), names.uuid == source.uuid else {
            throw ConversionError(
                .otherStore, path: path,
                "Can't convert to \(path) because there is another store. Choose another name.")
        }
        self.names = names
    }

    /// The greatest time that the conversion took for one; `nil` if the source has no greater one.
    var latestTime: Int64? { names.latestTime }

    /// Checks that another conversion had the same result as the one that created the store.
    ///
    /// - Throws: ``ConversionError`` with code `otherStore`.
    func checkIsResult(_ other: ConvertedSource) throws {
        guard names == other else {
            throw ConversionError(
                .otherStore, path: path,
                "Can't convert to \(path) because its source has changed since it was created. "
                    + "Choose another name, or remove the store if nothing was saved in it.")
        }
    }
}
