package import Foundation

extension ManagedObjectModel {
    /// Reads a model from its compiled form.
    ///
    /// This is the content of a `.mom` file, and what a Core Data or SwiftData store keeps of its
    /// own model, decompressed. Classes that the archive names are never created. A part of the
    /// model that can be left out without harm is in ``warnings``.
    ///
    /// - Parameters:
    ///   - data: The binary property list of a keyed archive.
    ///   - file: The path, for errors.
    ///
    /// - Throws: ``ModelError`` with every problem in `all`.
    package static func reading(
        compiled data: Data, file: String = "model"
    ) throws(ModelError) -> ManagedObjectModel {
        var reader = CompiledModelReader(file: file)
        let declaration = try reader.read([UInt8](data))
        return try ManagedObjectModel(
            declaration, warnings: reader.warnings, problems: reader.problems)
    }
}
