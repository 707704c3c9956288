import Foundation

/// The executables that were built beside the test bundle, or those in the folder that
/// `ANABRANCH_PROGRAMS` names.
enum BuiltProducts {
    static func executable(_ name: String) throws -> URL {
        if let other = ProcessInfo.processInfo.environment["ANABRANCH_PROGRAMS"] {
            return URL(filePath: other).appending(path: name)
        }
        let file = folder.appending(path: name)
        guard FileManager.default.isExecutableFile(atPath: file.path) else {
            throw MissingProduct(description: "Build \(name) first: there is no \(file.path).")
        }
        return file
    }

    /// The folder of the products: beside the test runner on Linux, beside the bundle on a Mac.
    private static let folder: URL = {
        #if os(macOS)
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
            return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
        #else
            return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        #endif
    }()
}

struct MissingProduct: Error, CustomStringConvertible {
    let description: String
}
