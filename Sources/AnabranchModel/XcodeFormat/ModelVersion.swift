public import Foundation

/// One version of a model in an `.xcdatamodeld` folder.
public struct ModelVersion: Hashable, Sendable {
    /// Without `.xcdatamodel`; what ``ManagedObjectModel/reading(_:version:)`` takes.
    public let name: String
    /// Whether it is the one that is read where none is named: the one that Xcode has marked, else
    /// the only one.
    public let isCurrent: Bool
}

extension ManagedObjectModel {
    /// The versions that an `.xcdatamodeld` folder has, by the bytes of their names.
    ///
    /// None is current where there are several and none of them is marked as such.
    ///
    /// - Throws: ``ModelError`` where the folder or the mark can't be read.
    public static func versions(of package: URL) throws(ModelError) -> [ModelVersion] {
        try ModelPackage(url: package).versions()
    }
}
