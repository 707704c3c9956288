import Foundation

/// A compiled model on disk: an app's `.momd` folder of versions, or one `.mom` file.
struct CompiledPackage {
    let url: URL

    /// Describes a path; `nil` if its name is not that of a compiled model.
    init?(url: URL) {
        guard ["mom", "momd"].contains(url.pathExtension) else { return nil }
        self.url = url
    }

    /// Finds the file of the version to read.
    ///
    /// - Parameter version: The name of the version, with or without `.mom`; `nil` is the current
    ///   one of a folder.
    func file(version: String?) throws(ModelError) -> URL {
        guard url.pathExtension == "momd" else { return url }
        let name = if let version { version } else { try currentVersionName() }
        return url.appendingPathComponent(name.hasSuffix(".mom") ? name : name + ".mom")
    }

    private func currentVersionName() throws(ModelError) -> String {
        let file = url.appendingPathComponent("VersionInfo.plist")
        let data = try ModelPackage.read(file)
        let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        guard let list = list as? [String: Any],
            let name = list["NSManagedObjectModel_CurrentVersionName"] as? String
        else {
            throw ModelError(
                .noCurrentVersion, file: file.path,
                "Can't read \(url.lastPathComponent) because its VersionInfo.plist names no "
                    + "current version. Name a version.")
        }
        return name
    }
}
