package import AnabranchReplication
import Foundation

/// A bundle in a file, sealed or in plain text, read piece by piece.
package struct BundleFile: Sendable {
    package let path: String
    private let opening: BundleOpening
    private let isChecked: Bool

    package init(_ path: String, _ opening: BundleOpening = .plain) {
        self.path = path
        self.opening = opening
        isChecked = false
    }

    /// A file that was found whole before.
    ///
    /// Of a sealed one every chunk that is read again belongs to the stream that was read to its
    /// end then, or is refused, whoever may have changed the file in between.
    package init(_ path: String, _ opening: BundleOpening, checked: Summary) {
        self.path = path
        self.opening = BundleOpening(
            opening.keyRing, takesPlain: opening.takesPlain && checked.seal == nil,
            expected: checked.seal)
        isChecked = true
    }

    /// What a whole bundle is.
    package struct Summary: Sendable {
        package let header: BundleHeader
        /// What its sets follow and it does not have.
        package let needs: VersionVector
        package let setCount: Int
        /// Of the file.
        package let byteCount: Int
        /// `nil` where it is in plain text.
        package let seal: SealedBundleHeader?
    }

    private static let pieceBytes = 1 << 18

    /// Reads the file to its end and looks at every byte of it, the payloads too.
    ///
    /// - Throws: ``StoreError`` `cannotOpen`, `damagedBundle` with the offset, `newerFormat`,
    ///   `keyRequired`, `keyMissing`, `notSealed`.
    package func check() throws -> Summary {
        var found: BundleHeader?
        var setCount = 0
        var needs = BundleNeeds()
        var parts: Set<SavePart> = []
        let envelope = try forEachItem { item in
            switch item {
            case .header(let header): found = header
            case .part(let bytes):
                // Whose it is says the set that lists it; its form does not depend on that.
                try check(payload: bytes, by: ReplicaID(high: 0, low: 0), of: "a part")
                parts.insert(SavePart(of: bytes))
            case .changeSet(let set):
                try check(set)
                guard try parts.isSuperset(of: set.parts()) else {
                    throw damaged("parts of \(set.dot) are not in it")
                }
                needs.follow(set)
            case .end(let count): setCount = count
            }
        }
        guard let found else { throw damaged("it has no header") }
        return Summary(
            header: found, needs: needs.vector, setCount: setCount,
            byteCount: envelope.byteCount, seal: envelope.seal)
    }

    private func check(_ set: ChangeSet) throws {
        // What a zone wrote in a save's place was read with its bytes.
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

    /// Reads the file, whose end tells only at last whether it is whole.
    ///
    /// - Returns: How large the file is, and how it is sealed.
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

    /// Of the bundle, out of its seal.
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
        // Who opens a pipe by its name waits for a writer, perhaps for ever.
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw refusal(SystemError()) }
        defer { close(file) }
        try checkIsRegular(file)
        while let piece = try read(file) { try body(piece) }
    }

    /// What is checked is read once more: a pipe would be empty by then.
    private func checkIsRegular(_ file: Int32) throws {
        guard let status = FileStatus(of: file) else { throw refusal(SystemError()) }
        guard !status.isFolder else { throw refusal(.cannotOpen, "it is a folder.") }
        guard status.isRegular else {
            throw refusal(
                .cannotOpen,
                "it is no regular file, and a bundle is read twice; save it into one first.")
        }
    }

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

    /// A later version is one only where the file is whole.
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
                "it is sealed with the key \(key), which the key ring lacks. Ask those who have "
                    + "it for it.")
        case .notSealed:
            refusal(
                .notSealed,
                "a key ring was given, and it is in plain text, which anybody may have written. "
                    + "Ask for a sealed one, or give no key ring if you know where it is from.")
        case .newerVersion(let version):
            refusal(
                .newerFormat,
                "version \(version) of sealed bundles is not known here at offset 8; update the "
                    + "program, or have the bundle sent again if it was damaged.")
        case .damaged(let offset, let cause): damaged("\(cause) at offset \(offset)", error)
        }
    }

    private func refusal(_ code: StoreError.Code, _ cause: String) -> StoreError {
        StoreError(code, "Can't read the bundle \(path) because \(cause)", path: path)
    }

    /// Whether the file ends with the digest of all before it, which every version does.
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
            ? "It was whole before, so somebody has changed it meanwhile; have it written or sent "
                + "again."
            : "Nothing was changed; have it written or sent again."
        return StoreError(
            .damagedBundle, "Can't read the bundle \(path) because \(cause). \(advice)",
            path: path, underlying: underlying)
    }
}
