/// The conditions under which a reader accepts a bundle.
package struct BundleOpening: Sendable {
    /// The keys; with `nil` only plain text is read.
    package let keyRing: BundleKeyRing?
    /// True if plain text is accepted. A reader that gives keys expects a sealed bundle, because
    /// any program could have written plain text.
    package let takesPlain: Bool
    /// The seal that was found before; a bundle with another seal is another bundle.
    package let expected: SealedBundleHeader?

    /// Creates the conditions.
    ///
    /// - Parameter takesPlain: True to accept plain text if no keys are given. If keys are given,
    ///   plain text is never accepted.
    package init(
        _ keyRing: BundleKeyRing?, takesPlain: Bool = true, expected: SealedBundleHeader? = nil
    ) {
        self.keyRing = keyRing
        self.takesPlain = takesPlain && keyRing == nil
        self.expected = expected
    }

    package static let plain = BundleOpening(nil)
}

/// The reason why a seal was not opened.
package enum SealError: Error {
    /// The bundle is sealed with this key, and no key was given.
    case keyRequired(BundleKeyID)
    /// The ring lacks the key.
    case keyMissing(BundleKeyID)
    /// Keys were given, but the bundle is plain text.
    case notSealed
    case newerVersion(UInt8)
    /// The bytes at an offset in the file are damaged; the text is the cause.
    case damaged(offset: Int, String)
}
