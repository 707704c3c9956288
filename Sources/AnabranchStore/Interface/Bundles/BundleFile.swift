package import AnabranchReplication
import Foundation

/// A bundle in a file, sealed or plain text, that is read piece by piece.
package struct BundleFile: Sendable {
    package let path: String
    private let opening: BundleOpening
    private let isChecked: Bool

    package init(_ path: String, _ opening: BundleOpening = .plain) {
        self.path = path
        self.opening = opening
        isChecked = false
    }

    /// A file that was checked before.
    ///
    /// Each chunk of a sealed bundle that is read again must belong to the same stream. So a file
    /// that was changed since the check is refused.
    package init(_ path: String, _ opening: BundleOpening, checked: Summary) {
        self.path = path
        self.opening = BundleOpening(
            opening.keyRing, takesPlain: opening.takesPlain && checked.seal == nil,
            expected: checked.seal)
        isChecked = true
    }

    /// The properties of a complete bundle.
    package struct Summary: Sendable {
        package let header: BundleHeader
        /// The change sets that its change sets follow and that it does not contain.
        package let prerequisites: VersionVector
        package let setCount: Int
        /// The greatest timestamp of its change sets; zero if it has none.
        package let greatestTimestamp: HybridTimestamp
        package let byteCount: Int
        /// The header of the seal; `nil` if the bundle is plain text.
        package let seal: SealedBundleHeader?
    }

    private static let pieceBytes = 1 << 18

    /// Reads the file to its end and checks every byte, including payloads.
    ///
    /// - Throws: ``StoreError`` `cannotOpen`, `damagedBundle` with the offset, `newerFormat`,
    ///   `keyRequired`, `keyMissing`, `notSealed`.
    package func check() throws -> Summary {
        var found: BundleHeader?
        var setCount = 0
        var needs = BundlePrerequisites()
        var greatest = HybridTimestamp.zero
        var parts: Set<SavePart> = []
        let envelope = try forEachItem { item in
            switch item {
            case .header(let header): found = header
            case .part(let bytes):
                // The change set that lists the part names its author; the part's format does not
                // depend on it.
                try check(payload: bytes, by: ReplicaID(high: 0, low: 0), of: "a part")
                parts.insert(SavePart(of: bytes))
            case .changeSet(let set):
                try check(set)
                guard try parts.isSuperset(of: set.parts()) else {
                    throw damaged("it lacks parts of \(set.dot)")
                }
                needs.follow(set)
                greatest = max(greatest, set.timestamp)
            case .end(let count): setCount = count
            }
        }
        guard let found else { throw damaged("it has no header") }
        return Summary(
            header: found, prerequisites: needs.vector, setCount: setCount,
            greatestTimestamp: greatest,
            byteCount: envelope.byteCount, seal: envelope.seal)
    }

    private func check(_ set: ChangeSet) throws {
        // An entry that a zone wrote in place of a save was decoded with its bytes.
        guard set.kind == .save else { return }
        try check(payload: set.payload, by: set.dot.replica, of: "\(set.dot)")
    }

    private func check(payload: [UInt8], by author: ReplicaID, of name: String) throws {
        do {
            var decoder = try ChangePayloadDecoder(payload, author: author)
            while try decoder.next() != nil {}
        } catch {
            throw damaged(
                "the payload of \(name) can't be read: \(error.cause) at its offset "
                    + "\(error.offset)", error)
        }
    }

    /// Reads the items of the file. Only its end shows whether the file is complete.
    ///
    /// - Returns: The size of the file, and the header of its seal.
    @discardableResult
    package func forEachItem(
        _ body: (BundleParser.Item) throws -> Void
    ) throws -> (byteCount: Int, seal: SealedBundleHeader?) {
        var parser = BundleParser()
        do {
            let envelope = try forEachPiece { piece in
                parser.feed(piece)
                while let item = try parser.next() { try body(item) }
            }
            try parser.finish()
            return envelope
        } catch let error as ChangeSetDecodingError {
            throw try refusal(error)
        }
    }

    /// Calls the body for each piece of the bundle, without the seal.
    @discardableResult
    private func forEachPiece(
        _ body: ([UInt8]) throws -> Void
    ) throws -> (byteCount: Int, seal: SealedBundleHeader?) {
        var envelope = BundleEnvelope(opening)
        do {
            try forEachPieceOfFile { try body(try envelope.open($0)) }
            try body(try envelope.finish())
        } catch let error as SealError {
            throw refusal(error)
        }
        return (envelope.offset, envelope.header)
    }

    private func forEachPieceOfFile(_ body: ([UInt8]) throws -> Void) throws {
        // Opening a pipe by its name would wait for a writer, possibly forever.
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw refusal(SystemError()) }
        defer { close(file) }
        try checkIsRegular(file)
        while let piece = try read(file) { try body(piece) }
    }

    /// Refuses a file that is not regular: the file is read a second time after the check, and a
    /// pipe would then be empty.
    private func checkIsRegular(_ file: Int32) throws {
        guard let status = FileStatus(of: file) else { throw refusal(SystemError()) }
        guard !status.isFolder else { throw refusal(.cannotOpen, "it is a folder.") }
        guard status.isRegular else {
            throw refusal(
                .cannotOpen,
                "it is not a regular file, and a bundle is read twice. Save it to a regular file "
                    + "first.")
        }
    }

    /// Reads the next piece.
    ///
    /// - Returns: `nil` at the end.
    private func read(_ file: Int32) throws -> [UInt8]? {
        var failure: SystemError?
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { room, count in
            var more = Foundation.read(file, room.baseAddress, room.count)
            while more < 0 && errno == EINTR {
                more = Foundation.read(file, room.baseAddress, room.count)
            }
            if more < 0 { failure = SystemError() }
            count = max(more, 0)
        }
        if let failure { throw refusal(failure) }
        return piece.isEmpty ? nil : piece
    }

    private func refusal(_ error: SystemError) -> StoreError {
        StoreError(
            .cannotOpen, "Can't read the bundle \(path): \(error.text).", path: path,
            underlying: error)
    }

    /// The error for a decoding failure. An unknown version counts as a later version only if the
    /// file is complete.
    private func refusal(_ error: ChangeSetDecodingError) throws -> StoreError {
        if error.code == .unsupportedVersion, try isWhole() {
            return StoreError(
                .newerFormat,
                "Can't read the bundle \(path) because \(error.cause) at offset \(error.offset); "
                    + "update the program.", path: path, underlying: error)
        }
        return damaged("\(error.cause) at offset \(error.offset)", error)
    }

    private func refusal(_ error: SealError) -> StoreError {
        switch error {
        case .keyRequired(let key):
            refusal(
                .keyRequired, "it is sealed with the key \(key). Give the key ring that has it.")
        case .keyMissing(let key):
            refusal(
                .keyMissing,
                "it is sealed with the key \(key), which the key ring lacks. Get that key from "
                    + "the sender.")
        case .notSealed:
            refusal(
                .notSealed,
                "a key ring was given, but the bundle is plain text, which anyone could have "
                    + "written. Get a sealed bundle, or give no key ring if you know its source.")
        case .newerVersion(let version):
            refusal(
                .newerFormat,
                "version \(version) of sealed bundles, at offset 8, is unknown to this program. "
                    + "Update the program, or get the bundle again if it was damaged.")
        case .damaged(let offset, let cause): damaged("\(cause) at offset \(offset)", error)
        }
    }

    private func refusal(_ code: StoreError.Code, _ cause: String) -> StoreError {
        StoreError(code, "Can't read the bundle \(path) because \(cause)", path: path)
    }

    /// True if the file ends with the digest of everything before it, as in every version.
    private func isWhole() throws -> Bool {
        var digest = DigestBuilder()
        var end: [UInt8] = []
        try forEachPiece { piece in
            let bytes = end + piece
            digest.update(Array(bytes.dropLast(Digest.byteCount)))
            end = Array(bytes.suffix(Digest.byteCount))
        }
        return digest.finish().bytes == end
    }

    private func damaged(_ cause: String, _ underlying: (any Error)? = nil) -> StoreError {
        let advice =
            isChecked
            ? "It was intact before, so it was changed meanwhile. Export or transfer it again."
            : "Nothing was changed. Export or transfer it again."
        return StoreError(
            .damagedBundle, "Can't read the bundle \(path) because \(cause). \(advice)",
            path: path, underlying: underlying)
    }
}
