public import Foundation

extension ManagedObjectModel {
    /// Reads a model that Xcode's model editor wrote, or its compiled form in an app.
    ///
    /// A setting that this version cannot keep without losing data is an error. A setting that can
    /// be left out without harm is in ``warnings``. User info entries with keys that begin with
    /// `anabranch.` hold the settings that Xcode's format has no place for; they are listed at
    /// ``write(toXcodeModel:)``.
    ///
    /// - Parameters:
    ///   - path: An `.xcdatamodeld` or `.xcdatamodel` folder, or a `contents` file; or a `.momd`
    ///     folder or a `.mom` file.
    ///   - version: The name of the version in a folder of versions; `nil` is the current one.
    ///
    /// - Throws: ``ModelError`` with every problem in `all`, each with file and line.
    public static func reading(
        _ path: URL, version: String? = nil
    ) throws(ModelError) -> ManagedObjectModel {
        if let compiled = CompiledPackage(url: path) {
            let file = try compiled.file(version: version)
            return try reading(compiled: ModelPackage.read(file), file: file.path)
        }
        let file = try ModelPackage(url: path).contents(version: version)
        return try reading(xml: ModelPackage.read(file), file: file.path)
    }

    /// Reads a model from the bytes of a `contents` file.
    ///
    /// - Parameter file: The path, for errors.
    ///
    /// - Throws: ``ModelError`` with every problem in `all`, each with file and line.
    package static func reading(
        xml data: Data, file: String = "contents"
    ) throws(ModelError) -> ManagedObjectModel {
        let root = try ModelXMLParser.parse(data, file: file)
        var reader = ModelReader(file: file)
        let declaration = try reader.read(root)
        do {
            return try ManagedObjectModel(
                declaration, warnings: reader.warnings, problems: reader.problems,
                placing: reader.placed)
        } catch {
            throw reader.placed(error)
        }
    }
}
