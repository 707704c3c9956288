/// One version of a model in the history of an app, which is read when a migration needs it.
///
/// An app lists the versions that it ever shipped in its stages. As long as no store has to be
/// migrated, none of them is read.
public struct ManagedObjectModelReference: Sendable {
    /// The name of the version, for errors.
    public let name: String
    private let read: @Sendable () throws -> ManagedObjectModel

    /// Creates a reference to a model that is read later.
    ///
    /// - Parameters:
    ///   - name: The name of the version, which differs from those of all other versions.
    ///   - read: Reads or makes the model. It is called when a store has to be migrated.
    public init(_ name: String, read: @escaping @Sendable () throws -> ManagedObjectModel) {
        self.name = name
        self.read = read
    }

    /// Creates a reference to a model.
    ///
    /// - Parameters:
    ///   - name: The name of the version, which differs from those of all other versions.
    ///   - model: The model.
    public init(_ name: String, _ model: ManagedObjectModel) {
        self.init(name) { model }
    }

    /// Reads the model.
    ///
    /// - Throws: ``MigrationPlanError`` with code `modelNotFound`.
    public func model() throws(MigrationPlanError) -> ManagedObjectModel {
        do {
            return try read()
        } catch {
            throw MigrationPlanError(
                .modelNotFound,
                "the model of version '\(name)' can't be read: \(error). Every version that the "
                    + "stages list has to be part of the app.", version: name, underlying: error)
        }
    }
}
