package import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The custom stage of a migration that a file waits for.
///
/// The file has the version after the stage already, but the stage's code has not saved its
/// changes. The transaction that changes the model records the stage, and the one that saves the
/// changes removes it. So a crash in between does not skip the stage.
package struct PendingStage: Sendable {
    /// The label of the stage, for messages.
    package let label: String
    /// The model that the file had before.
    package let former: ManagedObjectModel

    private static let labelKey = "stage"
    private static let modelKey = "stage.model"

    /// Reads the stage that a file waits for; `nil` if it waits for none.
    static func read(_ connection: Connection, path: String) throws -> PendingStage? {
        guard let label = try connection.meta(labelKey) else { return nil }
        do {
            return PendingStage(
                label: String(decoding: label, as: UTF8.self),
                former: try StoredModels.model(encodedAs: try connection.meta(modelKey) ?? []))
        } catch let error as ModelError {
            throw StoreError(
                .corrupt,
                "Can't open \(path) because the model before its last migration can't be read: "
                    + "\(error)", path: path, underlying: error)
        }
    }

    func write(_ connection: Connection) throws {
        try connection.setMeta(Self.labelKey, Array(label.utf8))
        try connection.setMeta(Self.modelKey, former.canonicalEncoding)
    }

    /// Removes the stage that a file waits for.
    ///
    /// - Returns: False if the file waits for none.
    static func remove(_ connection: Connection) throws -> Bool {
        guard try connection.meta(labelKey) != nil else { return false }
        try connection.setMeta(labelKey, nil)
        try connection.setMeta(modelKey, nil)
        return true
    }

    /// The error for a file that can't be used before the stage is complete.
    func error(_ verb: String, path: String) -> StoreError {
        StoreError(
            .stagePending,
            "Can't \(verb) \(path) because the stage '\(label)' of its migration is not complete. "
                + "Another program is running it now, or was interrupted. Open the store for "
                + "writing with the app's model and its stages.", path: path)
    }
}

/// The mark of a file that has not reached the last version of its migration.
///
/// The copy that was kept of such a file is older than the file's present version, so the next
/// steps do not replace it.
enum UnfinishedMigration {
    private static let key = "migration.unfinished"

    static func isMarked(_ connection: Connection) throws -> Bool {
        try connection.meta(key) != nil
    }

    static func mark(_ connection: Connection, _ isUnfinished: Bool) throws {
        try connection.setMeta(key, isUnfinished ? [] : nil)
    }
}
