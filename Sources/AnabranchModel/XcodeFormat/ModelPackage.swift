import Foundation

/// A model on disk: a package of versions, a single version, or its file.
struct ModelPackage {
    let url: URL

    /// Finds the file of the version to read.
    ///
    /// Without a name it is the version marked as current, or else the only version, as in Xcode.
    ///
    /// - Parameter version: The name of the version, with or without `.xcdatamodel`.
    func contents(version: String?) throws(ModelError) -> URL {
        switch url.pathExtension {
        case "xcdatamodeld": try Self(url: folder(ofVersion: version)).contents(version: nil)
        case "xcdatamodel": try contentsOfVersion()
        case "omo":
            throw ModelError(
                .notAModel, file: url.path,
                "Can't read \(url.lastPathComponent) because it is an optimized model; read the "
                    + ".mom file beside it, or the .xcdatamodeld that it was made from.")
        default:
            if FileManager.default.fileExists(atPath: url.appendingPathComponent("contents").path) {
                url.appendingPathComponent("contents")
            } else {
                url
            }
        }
    }

    private func contentsOfVersion() throws(ModelError) -> URL {
        let contents = url.appendingPathComponent("contents")
        if FileManager.default.fileExists(atPath: contents.path) { return contents }
        let elements = url.appendingPathComponent("elements").path
        if FileManager.default.fileExists(atPath: elements) {
            throw ModelError(
                .notAModel, file: elements,
                "Can't read \(url.lastPathComponent) because it has the binary form of models "
                    + "from before Xcode 4; open it in Xcode and save it again.")
        }
        throw ModelError(
            .unreadable, file: contents.path,
            "Can't read \(url.lastPathComponent) because it has no file called contents.")
    }

    private func folder(ofVersion version: String?) throws(ModelError) -> URL {
        let versions = try versionNames()
        if let version {
            let name = version.hasSuffix(".xcdatamodel") ? version : version + ".xcdatamodel"
            return try folder(named: name, among: versions, wanted: "it has no version \(version)")
        }
        if let current = try currentVersionName() {
            return try folder(
                named: current, among: versions,
                wanted: "its .xccurrentversion names \(current), which is not there")
        }
        guard versions.count == 1, let only = versions.first else {
            throw ModelError(
                .noCurrentVersion, file: url.path,
                "Can't read \(url.lastPathComponent) because it has \(versions.count) versions "
                    + "and no .xccurrentversion that says which is current.")
        }
        return url.appendingPathComponent(only)
    }

    private func folder(
        named name: String, among versions: [String], wanted: String
    ) throws(ModelError) -> URL {
        guard versions.contains(where: { $0.hasSameBytes(as: name) }) else {
            throw ModelError(
                .noCurrentVersion, file: url.path,
                "Can't read \(url.lastPathComponent) because \(wanted); it has: "
                    + versions.joined(separator: ", ") + ".")
        }
        return url.appendingPathComponent(name)
    }

    func versions() throws(ModelError) -> [ModelVersion] {
        let names = try versionNames()
        let marked = try currentVersionName()
        let current = marked ?? (names.count == 1 ? names.first : nil)
        return names.map { name in
            ModelVersion(
                name: String(name.dropLast(".xcdatamodel".count)),
                isCurrent: current?.hasSameBytes(as: name) ?? false)
        }.sorted { $0.name.precedesByBytes($1.name) }
    }

    /// The names of the version folders, sorted by their bytes.
    private func versionNames() throws(ModelError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw ModelError(
                .unreadable, file: url.path,
                "Can't read \(url.lastPathComponent) because the folder cannot be listed: "
                    + "\(error.localizedDescription)")
        }
        return names.filter { $0.hasSuffix(".xcdatamodel") }.sorted { $0.precedesByBytes($1) }
    }

    private func currentVersionName() throws(ModelError) -> String? {
        let file = url.appendingPathComponent(".xccurrentversion")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let data = try Self.read(file)
        let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        guard let list = list as? [String: Any] else {
            throw ModelError(
                .noCurrentVersion, file: file.path,
                "Can't read .xccurrentversion because it is no property list.")
        }
        // Xcode also writes an empty list, which names no version.
        return list["_XCCurrentVersionName"] as? String
    }

    static func read(_ file: URL) throws(ModelError) -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            throw ModelError(
                .unreadable, file: file.path,
                "Can't read \(file.path) because of the file system: "
                    + "\(error.localizedDescription)")
        }
    }
}
