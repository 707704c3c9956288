package import AnabranchReplication
import Foundation

/// A bundle in a file, read piece by piece.
package struct BundleFile: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// What a whole bundle is.
    package struct Summary: Sendable {
        package let header: BundleHeader
        /// What its sets follow and it does not have.
        package let needs: VersionVector
        package let setCount: Int
        package let byteCount: Int
    }

    private static let pieceBytes = 1 << 18

    /// Reads the file to its end and looks at every byte of it, the payloads too.
    ///
    /// - Throws: ``StoreError`` `cannotOpen`, `damagedBundle` with the offset, `newerFormat`.
    package func check() throws -> Summary {
        var found: BundleHeader?
        var setCount = 0
        var needs = BundleNeeds()
        var parts: Set<SavePart> = []
        let byteCount = try forEachItem { item in
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
            header: found, needs: needs.vector, setCount: setCount, byteCount: byteCount)
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
    /// - Returns: The bytes of the file.
    @discardableResult
    package func forEachItem(_ body: (BundleParser.Item) throws -> Void) throws -> Int {
        var parser = BundleParser()
        do {
            try forEachPiece { piece in
                parser.feed(piece)
                while let item = try parser.next() { try body(item) }
            }
            try parser.finish()
        } catch let error as ChangeSetDecodingError {
            throw try refusal(error)
        }
        return parser.offset
    }

    private func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
        let file: FileHandle
        do { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) } catch {
            throw StoreError(
                .cannotOpen, "Can't read the bundle \(path) because it can't be opened.",
                path: path, underlying: error)
        }
        defer { try? file.close() }
        while let piece = try read(file) { try body(piece) }
    }

    private func read(_ file: FileHandle) throws -> [UInt8]? {
        do {
            guard let piece = try file.read(upToCount: Self.pieceBytes), !piece.isEmpty else {
                return nil
            }
            return [UInt8](piece)
        } catch {
            throw StoreError(
                .cannotOpen, "Can't read the bundle \(path).", path: path, underlying: error)
        }
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
        StoreError(
            .damagedBundle,
            "Can't read the bundle \(path) because \(cause). Nothing was changed; have it written "
                + "or sent again.", path: path, underlying: underlying)
    }
}

/// A bundle that is being written: it gets its name when it is whole and on the disk.
struct BundleOutput: ~Copyable {
    private let path: String
    private let partial: String
    private let file: FileHandle
    private var pending: [UInt8] = []
    private(set) var byteCount = 0

    private static let pieceBytes = 1 << 18

    init(to path: String) throws {
        self.path = path
        partial = path + ".partial"
        guard FileManager.default.createFile(atPath: partial, contents: nil),
            let file = FileHandle(forWritingAtPath: partial)
        else {
            throw StoreError(
                .cannotOpen, "Can't write the bundle \(path) because its folder takes no file.",
                path: path)
        }
        self.file = file
    }

    mutating func write(_ bytes: [UInt8]) throws {
        pending += bytes
        byteCount += bytes.count
        if pending.count >= Self.pieceBytes { try flush() }
    }

    private mutating func flush() throws {
        try translating { try file.write(contentsOf: pending) }
        pending.removeAll(keepingCapacity: true)
    }

    mutating func finish() throws {
        try flush()
        try translating {
            try file.synchronize()
            try file.close()
            try FileManager.default.rename(partial, to: path)
        }
    }

    /// What was written of it goes.
    func discard() {
        try? file.close()
        try? FileManager.default.removeItem(atPath: partial)
    }

    private func translating(_ body: () throws -> Void) throws {
        do { try body() } catch {
            throw StoreError(
                .diskFull, "Can't write the bundle \(path): \(error.localizedDescription)",
                path: path, underlying: error)
        }
    }
}

extension FileManager {
    /// Puts a file in the place of another, at once.
    fileprivate func rename(_ old: String, to new: String) throws {
        guard Foundation.rename(old, new) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: new])
        }
    }
}
