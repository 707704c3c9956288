import AnabranchReplication
import TestSupport
import Testing

/// Tests of log entries in place of saves: their bytes, which golden files keep, and bytes that
/// only look like them.
///
/// The golden files were written by a separate encoder in another language, from
/// `Documentation/FileFormat.md` alone. They are never rewritten.
@Suite struct LogEntryKindTests {
    let replica = ReplicaID(bytes: 0xB0...0xBF) ?? ReplicaID(high: 0, low: 0)
    let epoch = EpochID(bytes: 0xE0...0xEF) ?? EpochID(high: 0, low: 0)

    private func edits() throws -> ChangeSet {
        try ChangeSet(decoding: Golden.bytes(named: "golden-1-edits.hex"))
    }

    private func void() throws -> ChangeSet {
        ChangeSet(voiding: try edits(), for: SaveRejection(.validationFailed, "Zoë may not go."))
    }

    private var lost: ChangeSet { ChangeSet(lost: Dot(replica: replica, sequence: 300)) }

    // MARK: - Golden

    @Test func `a void`() throws {
        let set = try edits()
        let void = try void()
        Golden.expect(bytes: void.encoded(), matches: "golden-1-void.hex")
        let read = try ChangeSet(decoding: Golden.bytes(named: "golden-1-void.hex"))
        #expect(read == void)
        #expect(read.rejection == SaveRejection(.validationFailed, "Zoë may not go."))
        #expect(read.dot == set.dot && read.stamp == set.stamp && read.context == set.context)
        #expect(read.origin == set.origin && read.previousOrigin == set.previousOrigin)
        #expect(read.digest != set.digest && read.digest == read.computedDigest())
        #expect(read.name.isEmpty && !set.name.isEmpty)
        #expect(try read.decodedPayload().blocks.isEmpty)
    }

    @Test func `a void of a set that was renamed`() throws {
        let set = try ChangeSet(decoding: Golden.bytes(named: "golden-1-rewritten.hex"))
        let void = ChangeSet(voiding: set, for: SaveRejection(.malformed, ""))
        Golden.expect(bytes: void.encoded(), matches: "golden-1-rewritten-void.hex")
        #expect(try ChangeSet(decoding: void.encoded()) == void)
        #expect(void.rewrittenFrom == set.rewrittenFrom && void.origin == set.origin)
    }

    @Test func `the entry of a lost change set is determined by its dot`() throws {
        Golden.expect(bytes: lost.encoded(), matches: "golden-1-lost.hex")
        let read = try ChangeSet(decoding: Golden.bytes(named: "golden-1-lost.hex"))
        #expect(read == lost && read.kind == .lost && read.rejection == nil)
        #expect(read.encoded().count == ChangeSet.leastByteCount + 1)
        #expect(try read.decodedPayload().blocks.isEmpty)
        // The causal context is no part of it: another log encodes the same context differently.
        var carried = lost
        carried.context = CausalContext(prefix: .init(epoch: epoch, position: 7))
        #expect(try ChangeSet(decoding: carried.encoded()) == carried)
    }

    @Test func `the running digest covers what an entry is`() throws {
        let cursor = LogCursor(startOf: epoch).advanced(over: try void()).advanced(over: lost)
        #expect(cursor.position == 2)
        #expect(
            ReplicaID(high: cursor.digestHigh, low: cursor.digestLow).description
                == "714ded634b58bff1670a48fa72b309e8")
    }

    // MARK: - Hostile bytes

    @Test func `every single changed bit is noticed before the context`() throws {
        for entry in [try void(), lost] {
            let bytes = entry.encoded()
            var context = ByteWriter()
            context.append(context: entry.context)
            for place in bytes.indices.dropLast(context.count) {
                for bit in 0..<8 {
                    var changed = bytes
                    changed[place] ^= 1 << bit
                    #expect(throws: ChangeSetDecodingError.self) {
                        try ChangeSet(decoding: changed)
                    }
                }
            }
            for count in bytes.indices {
                #expect(throws: ChangeSetDecodingError.self) {
                    try ChangeSet(decoding: Array(bytes.prefix(count)))
                }
            }
        }
    }

    @Test func `a void says why, and no more`() throws {
        let payload = try void().payload
        let long = [UInt8](repeating: 0x61, count: SaveRejection.longestReason + 1)
        var tooLong = ByteWriter()
        tooLong.append(raw: payload.prefix(32))
        tooLong.append(string: "code")
        tooLong.append(block: long)
        for changed in [[], Array(payload.dropLast()), payload + [0], tooLong.bytes] {
            #expect(throws: ChangeSetDecodingError.self) {
                try ChangeSet(decoding: try entry(.void, payload: changed).encoded())
            }
        }
    }

    @Test func `an entry of a lost change set with any content is refused`() throws {
        let later = HybridTimestamp(rawValue: 1)
        let wrong: [(payload: [UInt8], time: HybridTimestamp, author: String)] = [
            ([0], .zero, ""), ([], later, ""), ([], .zero, "import"),
        ]
        for (payload, time, author) in wrong {
            let set = try entry(.lost, payload: payload, time: time, author: author)
            #expect(throws: ChangeSetDecodingError.self) { try ChangeSet(decoding: set.encoded()) }
        }
    }

    /// Returns an entry with the digest and origin of its core.
    private func entry(
        _ kind: LogEntryKind, payload: [UInt8], time: HybridTimestamp = .zero, author: String = ""
    ) throws -> ChangeSet {
        func made(_ digest: Digest, _ origin: Digest) -> ChangeSet {
            ChangeSet(
                fromLog: kind, dot: Dot(replica: replica, sequence: 1), timestamp: time,
                author: author, name: "", payload: payload, rewrittenFrom: nil,
                previousOrigin: .zero, origin: origin, digest: digest, context: .empty)
        }
        let digest = made(.zero, .zero).computedDigest()
        var origin = DigestBuilder()
        origin.update(Digest.zero)
        origin.update(kind == .void ? try edits().digest : digest)
        return made(digest, origin.finish())
    }

    @Test func `a reason is cut between characters`() {
        let flag = "🇨🇭"
        let text = String(repeating: flag, count: SaveRejection.longestReason)
        let cut = SaveRejection(.malformed, text).reason
        #expect(cut.utf8.count <= SaveRejection.longestReason)
        #expect(cut.utf8.count > SaveRejection.longestReason - flag.utf8.count)
        #expect(cut == String(repeating: flag, count: cut.count))
    }

    // MARK: - Other names

    @Test func `a void keeps what it says under another name, what is lost follows its dot`() throws
    {
        let void = try void()
        let branch = ReplicaID(high: 9, low: 9)
        var rewriting = Rewriting()
        let names = [Dot(replica: branch, sequence: 1), Dot(replica: branch, sequence: 2)]
        for (set, name) in zip([void, lost], names) {
            try rewriting.rename(set, to: .init(dot: name, timestamp: set.timestamp))
        }
        let renamed = try rewriting.rewritten(void)
        #expect(renamed.dot == names[0] && renamed.rewrittenFrom == void.dot)
        #expect(renamed.rejection == void.rejection && renamed.origin == void.origin)
        #expect(try ChangeSet(decoding: renamed.encoded()) == renamed)
        #expect(try rewriting.rewritten(lost) == ChangeSet(lost: names[1]))
        #expect(try Rewriting().rewritten(void) == void)
    }
}
