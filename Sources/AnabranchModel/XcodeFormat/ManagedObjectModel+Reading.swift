public import Foundation

extension ManagedObjectModel {
    /// Reads a model that Xcode's model editor wrote.
    ///
    /// What the file has and this version cannot keep without losing data is an error; what can be
    /// left out without harm is in ``warnings``. An entry `anabranch.wireName` in the user info of
    /// an entity or a property gives its wire name.
    ///
    /// - Parameters:
    ///   - path: An `.xcdatamodeld` or `.xcdatamodel` folder, or a `contents` file.
    ///   - version: Name of the version of an `.xcdatamodeld`; `nil`: the current one.
    /// - Throws: ``ModelError`` with every problem in `all`, each with file and line.
    public static func reading(
        _ path: URL, version: String? = nil
    ) throws(ModelError) -> ManagedObjectModel {
        let file = try ModelPackage(url: path).contents(version: version)
        return try reading(xml: ModelPackage.read(file), file: file.path)
    }

    /// Reads a model from the bytes of a `contents` file.
    ///
    /// - Parameter file: The path, for errors.
    public static func reading(
        xml data: Data, file: String = "contents"
    ) throws(ModelError) -> ManagedObjectModel {
        let root = try ModelXMLParser.parse(data, file: file)
        var reader = ModelReader(file: file)
        let declaration = try reader.read(root)
        do {
            return try ManagedObjectModel(
                declaration, warnings: reader.warnings, problems: reader.problems)
        } catch {
            throw reader.placed(error)
        }
    }
}
