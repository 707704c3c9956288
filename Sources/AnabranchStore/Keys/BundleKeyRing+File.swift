public import Foundation

extension BundleKeyRing {
    /// Reads a ring from its file.
    ///
    /// A file that others than its owner may read is refused, not only warned about: a warning of
    /// a program that runs by itself is read by nobody, and one command takes the rights away.
    ///
    /// - Throws: ``KeyRingError``: `cannotOpen`, `exposed`, `malformed` with the line,
    ///   `newerFormat`.
    public init(contentsOf url: URL) throws(KeyRingError) {
        self = try KeyRingFile(path: url.path).read()
    }

    /// Writes the ring into a new file, which only its owner may read.
    ///
    /// - Throws: ``KeyRingError`` `alreadyExists`, `cannotWrite`: there is no new file then.
    ///   `notDurable`: there is, and a loss of power may still take it.
    public func create(at url: URL) throws(KeyRingError) {
        try KeyRingFile(path: url.path).create(self)
    }

    /// Changes the ring in a file: reads it, and puts what was made of it in its place.
    ///
    /// Of two who do so at once one waits for the other, so no new key is lost. The file keeps its
    /// owner, whoever changes it.
    ///
    /// - Returns: What the file has now.
    /// - Throws: ``KeyRingError``, and what the body throws: the file is as it was. `notDurable`:
    ///   it has the new ring, and a loss of power may still bring the old one back.
    @discardableResult
    public static func update(
        at url: URL, _ change: (inout BundleKeyRing) throws -> Void
    ) throws -> BundleKeyRing {
        try KeyRingFile(path: url.path).update(change)
    }
}
