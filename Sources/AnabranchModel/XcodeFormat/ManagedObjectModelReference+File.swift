public import Foundation

extension ManagedObjectModelReference {
    /// Creates a reference to a version in a model file, which is read later.
    ///
    /// - Parameters:
    ///   - path: An `.xcdatamodeld` folder, or the `.momd` folder that was compiled from it.
    ///   - version: The name of the version in the folder, which also names it in errors.
    public init(contentsOf path: URL, version: String) {
        self.init(version) { try ManagedObjectModel.reading(path, version: version) }
    }
}
