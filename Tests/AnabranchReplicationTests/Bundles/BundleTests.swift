import AnabranchReplication
import TestSupport
import Testing

@Suite struct `A bundle` {
    static let sender = ReplicaID(high: 5, low: 5)

    /// Returns random change sets, each with a causal context that needs no log.
    private static func sets(_ generator: inout SeededGenerator) -> [ChangeSet] {
        let others = (0..<4).map { _ in generator.replica() }
        return (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            var set = generator.oneIn(2) ? generator.changeSet() : save(of: others[0], &generator)
            let held = others.filter { $0 != set.dot.replica && generator.oneIn(2) }
            set.context = CausalContext(
                beyond: held.map {
                    .init(
                        dot: Dot(replica: $0, sequence: .random(in: 1...3, using: &generator)),
                        originPrefix: .random(in: 1...2, using: &generator))
                })
            return set
        }
    }

    /// Returns an empty save of a replica that other contexts may name.
    private static func save(
        of author: ReplicaID, _ generator: inout SeededGenerator
    ) -> ChangeSet {
        ChangeSet(
            saving: ChangePayload(blocks: []).encoded(author: author),
            dot: Dot(replica: author, sequence: .random(in: 1...9, using: &generator)),
            timestamp: HybridTimestamp(rawValue: 1), previousOrigin: .zero, context: .empty)
    }

    private static func encoded(_ header: BundleHeader, _ sets: [ChangeSet]) -> [UInt8] {
        var encoder = BundleEncoder()
        var bytes = encoder.begin(header)
        for set in sets { bytes += encoder.append(set) }
        return bytes + encoder.finish()
    }

    private static func header(_ sets: [ChangeSet]) -> BundleHeader {
        BundleHeader(
            sender: sender, wallMilliseconds: 1_700_000_000_000,
            heads: sets.map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) })
    }

    private struct Content: Equatable {
        var header: BundleHeader?
        var sets: [ChangeSet] = []
        var parts: [[UInt8]] = []
        var count: Int?
    }

    /// - Parameter piece: The number of bytes that the parser receives at once.
    private static func decoded(
        _ bytes: [UInt8], piece: Int = .max
    ) throws(ChangeSetDecodingError) -> Content {
        var parser = BundleParser()
        var content = Content()
        var rest = bytes[...]
        while !rest.isEmpty {
            parser.feed(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
            while let item = try parser.next() {
                switch item {
                case .header(let header): content.header = header
                case .changeSet(let set): content.sets.append(set)
                case .part(let bytes): content.parts.append(bytes)
                case .end(let count): content.count = count
                }
            }
        }
        try parser.finish()
        return content
    }

    @Test(arguments: TestLength.seeds(40))
    func `comes back as it was written, whatever the pieces`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sets = Self.sets(&generator)
        let header = Self.header(sets)
        let bytes = Self.encoded(header, sets)
        for piece in [1, 7, 64, .max] {
            let content = try Self.decoded(bytes, piece: piece)
            #expect(content == Content(header: header, sets: sets, count: sets.count))
        }
    }

    @Test func `has the bytes of the format`() throws {
        func set(_ name: String, _ held: [ChangeSet]) throws -> ChangeSet {
            var set = try ChangeSet(decoding: Golden.bytes(named: name))
            set.context = CausalContext(
                beyond: held.map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) })
            return set
        }
        let inserts = try set("golden-1-insert.hex", [])
        let edits = try set("golden-1-edits.hex", [inserts])
        let values = try set("golden-1-values.hex", [edits])
        let renamed = try set("golden-1-rewritten.hex", [])
        let header = BundleHeader(
            sender: renamed.dot.replica, wallMilliseconds: 1_700_000_000_000,
            heads: [renamed, values].map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) })
        let sets = [inserts, edits, values, renamed]
        let bytes = Self.encoded(header, sets)
        Golden.expect(bytes: bytes, matches: "golden-1-bundle.hex")
        let content = try Self.decoded(Golden.bytes(named: "golden-1-bundle.hex"))
        #expect(content == Content(header: header, sets: sets, count: 4))
    }

    @Test(arguments: TestLength.seeds(16))
    func `a bundle that is cut short or has surplus bytes is refused`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let sets = Self.sets(&generator)
        let bytes = Self.encoded(Self.header(sets), sets)
        for count in bytes.indices {
            let error = Self.failure(Array(bytes.prefix(count)))
            #expect(error?.code == .truncated, "\(count)")
            #expect((error?.offset ?? .max) <= count)
        }
        #expect(Self.failure(bytes + [0])?.offset == bytes.count)
    }

    @Test(arguments: TestLength.seeds(8))
    func `a bundle with one changed bit is refused`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let sets = Self.sets(&generator)
        let bytes = Self.encoded(Self.header(sets), sets)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            let error = Self.failure(changed)
            #expect(error != nil, "\(place)")
            #expect((error?.offset ?? .max) <= bytes.count)
        }
    }

    /// Tests bytes that look like a bundle as long as possible.
    @Test(arguments: TestLength.seeds(200))
    func `hostile bytes give an error and allocate no memory for what they claim`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let sets = Self.sets(&generator)
        var bytes = Self.encoded(Self.header(sets), sets)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let place = Int.random(in: 9..<bytes.count, using: &generator)
            let length = Int.random(in: 0...3, using: &generator)
            let noise = generator.bytes(count: Int.random(in: 0...12, using: &generator))
            bytes.replaceSubrange(place..<min(place + length, bytes.count), with: noise)
        }
        _ = Self.failure(bytes)
        // The parser waits for a block that claims to be large, but does not allocate memory for
        // it.
        let claim: [UInt8] = BundleHeader.magic + [1, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(Self.failure(claim)?.code == .truncated)
        let tooLarge: [UInt8] = BundleHeader.magic + [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(Self.failure(tooLarge)?.code == .limitExceeded)
        let endless: [UInt8] = BundleHeader.magic + [1] + [UInt8](repeating: 0xFF, count: 12)
        #expect(Self.failure(endless)?.code == .malformed)
    }

    // MARK: - Its time

    @Test(arguments: [Int64.min, -1, 1 << 47, .max])
    func `a bundle with a time that no timestamp holds is refused`(milliseconds: Int64) {
        let error = Self.failure(BundleHeader.bytesOfBundle(from: Self.sender, at: milliseconds))
        #expect(error?.code == .limitExceeded)
        #expect(error?.cause.contains("time") == true)
    }

    @Test(arguments: [0, (1 << 47) - 1] as [Int64])
    func `a bundle with any time that a timestamp holds is read`(milliseconds: Int64) throws {
        let header = try Self.decoded(
            BundleHeader.bytesOfBundle(from: Self.sender, at: milliseconds)
        ).header
        #expect(header?.wallMilliseconds == milliseconds)
    }

    @Test(
        arguments: [
            (Int64.min, 0), (-1, 0), (0, 0), (1 << 47, (1 << 47) - 1), (.max, (1 << 47) - 1),
        ] as [(Int64, Int64)])
    func `is written with a time that can be read, whatever the clock says`(
        clock: Int64, written: Int64
    ) throws {
        let header = BundleHeader(sender: Self.sender, wallMilliseconds: clock, heads: [])
        let content = try Self.decoded(Self.encoded(header, []))
        #expect(content.header?.wallMilliseconds == written)
    }

    @Test func `a bundle of a later version is refused as such`() {
        let error = Self.failure(BundleHeader.magic + [3, 0, 0])
        #expect(error?.code == .unsupportedVersion)
        #expect(error?.offset == 8)
        #expect(Self.failure(Array("SQLite format 3\0".utf8))?.code == .malformed)
    }

    private static func failure(_ bytes: [UInt8]) -> ChangeSetDecodingError? {
        do throws(ChangeSetDecodingError) {
            _ = try decoded(bytes)
            return nil
        } catch {
            return error
        }
    }
}
