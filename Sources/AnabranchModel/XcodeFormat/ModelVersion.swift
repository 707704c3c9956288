package import Foundation

/// One version of a model in an `.xcdatamodeld` folder.
package struct ModelVersion: Hashable, Sendable {
    /// The name without `.xcdatamodel`, for ``ManagedObjectModel/reading(_:version:)``.
    package let name: String
    /// True if this version is read by default.
    ///
    /// It is the version that Xcode has marked as current, or else the only version.
    package let isCurrent: Bool
}

extension ManagedObjectModel {
    /// The versions in an `.xcdatamodeld` folder, sorted by the bytes of their names.
    ///
    /// If there are several and none is marked as current, none is current.
    ///
    /// - Throws: ``ModelError`` if the folder or the mark cannot be read.
    package static func versions(of package: URL) throws(ModelError) -> [ModelVersion] {
        try ModelPackage(url: package).versions()
    }
}
