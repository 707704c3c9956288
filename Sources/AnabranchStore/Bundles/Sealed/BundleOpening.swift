/// How a reader meets a bundle.
package struct BundleOpening: Sendable {
    /// `nil`: only plain text is read.
    package let keyRing: BundleKeyRing?
    /// Whether plain text is read. Who gives keys counts on the sender's having them: plain text
    /// in the place of a sealed bundle may come from anybody.
    package let takesPlain: Bool
    /// The seal that was found before: another one is another bundle.
    package let expected: SealedBundleHeader?

    /// - Parameter takesPlain: Whether plain text is read where no keys are given; with keys it is
    ///   never.
    package init(
        _ keyRing: BundleKeyRing?, takesPlain: Bool = true, expected: SealedBundleHeader? = nil
    ) {
        self.keyRing = keyRing
        self.takesPlain = takesPlain && keyRing == nil
        self.expected = expected
    }

    package static let plain = BundleOpening(nil)
}

/// Why a seal was not opened.
package enum SealError: Error {
    /// The bundle is sealed with this key, and no key was given.
    case keyRequired(BundleKeyID)
    /// The ring lacks the key.
    case keyMissing(BundleKeyID)
    /// Keys were given, and the bundle is in plain text.
    case notSealed
    case newerVersion(UInt8)
    /// - Parameter offset: In the file.
    case damaged(offset: Int, String)
}
