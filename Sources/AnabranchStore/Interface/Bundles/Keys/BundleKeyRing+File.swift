public import Foundation

extension BundleKeyRing {
    /// Reads a key ring from its file.
    ///
    /// A file that users other than its owner can read is refused. A warning would not be enough,
    /// because a program that runs unattended has no reader for it, and one command fixes the
    /// permissions.
    ///
    /// - Throws: ``KeyRingError``: `cannotOpen`, `exposed`, `malformed` with the line,
    ///   `newerFormat`.
    public init(contentsOf url: URL) throws(KeyRingError) {
        self = try KeyRingFile(path: url.path).read()
    }

    /// Writes the ring into a new file that only its owner can read.
    ///
    /// - Throws: ``KeyRingError`` `alreadyExists` or `cannotWrite`; no file was created then. With
    ///   `notDurable` the file exists, but a power failure may still remove it.
    public func create(at url: URL) throws(KeyRingError) {
        try KeyRingFile(path: url.path).create(self)
    }

    /// Changes the ring in a file: reads it, runs the body and replaces the file with the result.
    ///
    /// If two processes do this at once, the second waits for the first, so no new key is lost. The
    /// file keeps its owner, whichever user changes it.
    ///
    /// - Returns: The ring that the file now contains.
    /// - Throws: ``KeyRingError``, and any error of the body; the file is unchanged. With
    ///   `notDurable` the file has the new ring, but a power failure may still restore the old one.
    @discardableResult
    public static func update(
        at url: URL, _ change: (inout BundleKeyRing) throws -> Void
    ) throws -> BundleKeyRing {
        try KeyRingFile(path: url.path).update(change)
    }
}
