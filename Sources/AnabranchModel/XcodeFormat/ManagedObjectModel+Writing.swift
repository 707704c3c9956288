public import Foundation

extension ManagedObjectModel {
    /// The text of a model file that Xcode's model editor opens.
    ///
    /// ``write(toXcodeModel:)`` says what it contains.
    ///
    /// - Throws: ``ModelError`` with every setting that Xcode's format can't hold in `all`.
    package func xcodeModelText() throws(ModelError) -> String {
        try ModelWriter.text(of: declaration)
    }

    /// Writes the model as an `.xcdatamodel` that Xcode's model editor opens.
    ///
    /// ``reading(_:version:)`` reads an equal model from it, except that the user info has the
    /// entries below. A part of the model that Xcode's format has no place for becomes a user info
    /// entry of its entity or property:
    ///
    /// | Key | Value |
    /// |---|---|
    /// | `anabranch.wireName` | the wire name of an entity or a property |
    /// | `anabranch.deletePolicy` | the delete policy of an entity, such as `updateWins` |
    /// | `anabranch.mergeRule` | the merge rule of an attribute, such as `counter` |
    /// | `anabranch.mergeGroup` | the attribute group of an attribute |
    /// | `anabranch.default` | a default with its type, such as `binary:AAEC` |
    /// | `anabranch.acyclic` | `YES` for a to-one that is acyclic |
    /// | `anabranch.validation.1` | the predicate of the first validation rule |
    /// | `anabranch.validation.1.warning` | the warning of that rule |
    ///
    /// Equal models give equal files.
    ///
    /// - Parameter folder: A folder with a name that ends with `.xcdatamodel`. It is created if it
    ///   is missing, also in an `.xcdatamodeld`. A model that it contains is replaced.
    ///
    /// - Throws: ``ModelError`` with every setting that Xcode's format can't hold in `all`, or
    ///   with the code ``ModelError/Code/unwritable``. An existing model is then unchanged.
    public func write(toXcodeModel folder: URL) throws(ModelError) {
        guard folder.pathExtension == "xcdatamodel" else {
            throw ModelError(
                .unwritable, file: folder.path,
                "Can't write \(folder.lastPathComponent) because the name of a model in Xcode "
                    + "ends with .xcdatamodel.")
        }
        let text = try xcodeModelText()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(
                to: folder.appendingPathComponent("contents"), options: .atomic)
        } catch {
            throw ModelError(
                .unwritable, file: folder.path,
                "Can't write \(folder.lastPathComponent) because of the file system: "
                    + "\(error.localizedDescription)")
        }
    }
}
