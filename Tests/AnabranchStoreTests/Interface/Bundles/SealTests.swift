import AnabranchReplication
import AnabranchStore
import CSodium
import TestSupport
import Testing

@Suite struct `A seal` {
    private static let keyRing = BundleKeyRing(
        unsafeSecrets: [Array(0..<32), Array(32..<64)], since: 1_700_000_000)

    private static let chunk = BundleSealer.chunkBytes
    private static let sealedChunk = chunk + 17
    private static let header = SealedBundleHeader.byteCount

    /// - Parameter piece: The number of bytes that are sealed at once.
    private static func sealed(_ bytes: [UInt8], piece: Int = .max) -> [UInt8] {
        var sealer = BundleSealer(keyRing)
        var out = sealer.header.bytes
        var rest = bytes[...]
        while !rest.isEmpty {
            out += sealer.seal(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        return out + sealer.finish()
    }

    /// - Parameter piece: The number of bytes that are opened at once.
    private static func opened(
        _ bytes: [UInt8], piece: Int = .max, _ opening: BundleOpening = BundleOpening(keyRing)
    ) throws(SealError) -> [UInt8] {
        var envelope = BundleEnvelope(opening)
        var out: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            out += try envelope.open(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        return out + (try envelope.finish())
    }

    /// - Returns: The offset that the error names; `nil` if it names none.
    private static func offset(ofDamageIn bytes: [UInt8]) -> Int? {
        do throws(SealError) {
            _ = try opened(bytes)
            return nil
        } catch {
            switch error {
            case .damaged(let offset, _): return offset
            case .newerVersion: return SealedBundleHeader.magic.count
            case .keyMissing, .notSealed, .keyRequired: return 0
            }
        }
    }

    // MARK: - Laws

    @Test(arguments: [
        0, 1, 16, 17, 18, 65_535, 65_536, 65_537, 65_553, 131_071, 131_072, 131_073, 300_000,
    ])
    func `returns the sealed bytes, whatever the pieces`(count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = generator.bytes(count: count)
        for (writing, reading) in [(Int.max, Int.max), (1_000, 70_001), (65_536, 65_553)] {
            let sealed = Self.sealed(bytes, piece: writing)
            #expect(try Self.opened(sealed, piece: reading) == bytes)
            let chunks = max(1, (count + Self.chunk - 1) / Self.chunk)
            #expect(sealed.count == Self.header + count + 17 * chunks)
        }
        let small = generator.bytes(count: min(count, 100))
        #expect(try Self.opened(Self.sealed(small, piece: 1), piece: 1) == small)
    }

    @Test(arguments: TestLength.seeds(8))
    func `shows every byte that was changed, cut off or added`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = Self.sealed(generator.bytes(count: .random(in: 0...60, using: &generator)))
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            let offset = Self.offset(ofDamageIn: changed)
            // Only the first chunk reveals a change of the salt.
            #expect((offset ?? .max) <= max(place, Self.header), "\(place)")
            #expect(Self.offset(ofDamageIn: Array(bytes.prefix(place))) != nil, "\(place)")
            var longer = bytes
            longer.insert(generator.bytes(count: 1)[0], at: place)
            #expect(Self.offset(ofDamageIn: longer) != nil, "\(place)")
        }
        #expect(Self.offset(ofDamageIn: bytes + [0]) != nil)
    }

    /// Returns a file of four chunks of equal length.
    private static func chunks(_ generator: inout SeededGenerator) -> ([UInt8], [[UInt8]]) {
        let bytes = sealed(generator.bytes(count: 4 * chunk))
        return (
            Array(bytes.prefix(header)),
            (0..<4).map {
                Array(bytes[header + $0 * sealedChunk..<header + ($0 + 1) * sealedChunk])
            }
        )
    }

    @Test func `keeps its chunks in their order, all of them and no more`() throws {
        var generator = SeededGenerator(seed: 1)
        let (header, chunks) = Self.chunks(&generator)
        let (otherHeader, others) = Self.chunks(&generator)
        func damage(_ header: [UInt8], _ chunks: [[UInt8]]) -> Int? {
            Self.offset(ofDamageIn: header + chunks.flatMap { $0 })
        }
        func place(_ number: Int) -> Int { Self.header + number * Self.sealedChunk }
        #expect(damage(header, chunks) == nil)
        for number in 0..<4 {
            #expect(damage(header, Array(chunks.prefix(number))) == place(number))
        }
        #expect(damage(header, [chunks[0], chunks[2], chunks[1], chunks[3]]) == place(1))
        #expect(damage(header, [chunks[0], chunks[0], chunks[1], chunks[3]]) == place(1))
        #expect(damage(header, [chunks[0], chunks[1], chunks[3]]) == place(2))
        #expect(damage(header, [chunks[1], chunks[2], chunks[3]]) == place(0))
        #expect(damage(header, [chunks[3]]) == place(0))
        #expect(damage(header, chunks + [chunks[3]]) == place(4))
        #expect(damage(header, chunks + [[0]]) == place(4))
        #expect(damage(header, [chunks[0], others[1], chunks[2], chunks[3]]) == place(1))
        #expect(damage(otherHeader, chunks) == place(0))
        var short = chunks
        short[3].removeLast()
        #expect(damage(header, short) == place(3))
    }

    @Test func `gives out nothing that it has not seen to be genuine`() throws {
        var generator = SeededGenerator(seed: 2)
        let bytes = generator.bytes(count: 4 * Self.chunk)
        var sealed = Self.sealed(bytes)
        sealed[Self.header + 2 * Self.sealedChunk + 5] ^= 1
        var envelope = BundleEnvelope(BundleOpening(Self.keyRing))
        var out: [UInt8] = []
        var error: SealError?
        for start in stride(from: 0, to: sealed.count, by: 1_000) where error == nil {
            do throws(SealError) {
                out += try envelope.open(Array(sealed[start..<min(start + 1_000, sealed.count)]))
            } catch let refusal {
                error = refusal
            }
        }
        #expect(error != nil)
        #expect(out == Array(bytes.prefix(2 * Self.chunk)))
    }

    @Test(arguments: TestLength.seeds(50))
    func `hostile bytes are refused at the first chunk`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let noise = generator.bytes(count: .random(in: 0...200_000, using: &generator))
        let header = Self.sealed([]).prefix(Self.header)
        #expect(Self.offset(ofDamageIn: header + noise) != nil)
        #expect(Self.offset(ofDamageIn: SealedBundleHeader.magic + noise) != nil)
        if noise.count >= Self.sealedChunk {
            #expect(Self.offset(ofDamageIn: header + noise) == Self.header)
        }
    }

    // MARK: - Keys

    @Test func `is opened only with the key that it names`() throws {
        let bytes = Self.sealed([1, 2, 3])
        let names = Self.keyRing.keys.map(\.id)
        #expect(try Self.opened(bytes) == [1, 2, 3])
        let newer = BundleKeyRing(unsafeSecrets: [Array(32..<64)], since: 1_700_000_001)
        #expect(newer.newest.id == names[1])
        #expect(try Self.opened(bytes, BundleOpening(newer)) == [1, 2, 3])
        let older = BundleKeyRing(unsafeSecrets: [Array(0..<32)], since: 1_700_000_000)
        #expect(older.newest.id == names[0])
        for (opening, isExpected) in [
            (BundleOpening(older), { if case .keyMissing(names[1]) = $0 { true } else { false } }),
            (BundleOpening.plain, { if case .keyRequired(names[1]) = $0 { true } else { false } }),
        ] as [(BundleOpening, (SealError) -> Bool)] {
            let error = #expect(throws: SealError.self) { try Self.opened(bytes, opening) }
            #expect(error.map(isExpected) == true)
        }
    }

    @Test func `is required if a key is given`() throws {
        let plain = BundleHeader.magic + [1, 2, 3]
        #expect(try Self.opened(plain, .plain) == plain)
        // This holds also where plain text without a key would be accepted.
        for opening in [
            BundleOpening(Self.keyRing), BundleOpening(Self.keyRing, takesPlain: true),
            BundleOpening(nil, takesPlain: false),
        ] {
            let error = #expect(throws: SealError.self) { try Self.opened(plain, opening) }
            guard case .notSealed = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a seal of a later version is refused as such`() {
        var bytes = Self.sealed([])
        bytes[8] = 2
        let error = #expect(throws: SealError.self) { try Self.opened(bytes, .plain) }
        guard case .newerVersion(2) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `is different each time`() throws {
        var (salts, streams) = (Set<[UInt8]>(), Set<[UInt8]>())
        for _ in 0..<100 {
            let header = BundleSealer(Self.keyRing).header
            salts.insert(header.salt)
            streams.insert(Array(header.bytes.suffix(24)))
        }
        #expect(salts.count == 100 && streams.count == 100)
    }

    // MARK: - The format

    /// The bundle in the golden file.
    private static func example() -> [UInt8] {
        let author = ReplicaID(high: 5, low: 5)
        let set = ChangeSet(
            saving: ChangePayload(blocks: []).encoded(author: author),
            dot: Dot(replica: author, sequence: 1), timestamp: HybridTimestamp(rawValue: 1),
            author: "Ada", previousOrigin: .zero, context: .empty)
        var encoder = BundleEncoder()
        let header = BundleHeader(
            sender: author, wallMilliseconds: 1_700_000_000_000,
            heads: [.init(dot: set.dot, originPrefix: set.origin.prefix)])
        return encoder.begin(header) + encoder.append(set) + encoder.finish()
    }

    @Test func `a seal of the first version can be opened for ever`() throws {
        let name = "golden-1-sealed-bundle.hex"
        // The salt is random, so the file is written once.
        if Golden.isUpdating, (try? Golden.bytes(named: name)) == nil {
            Golden.expect(bytes: Self.sealed(Self.example()), matches: name)
        }
        #expect(try Self.opened(Golden.bytes(named: name)) == Self.example())
    }

    /// The bytes are computed from the documentation, without any of the library's code.
    @Test func `has the bytes of the format`() throws {
        let bytes = try Golden.bytes(named: "golden-1-sealed-bundle.hex")
        #expect(Array(bytes[0..<9]) == [0x89, 0x41, 0x62, 0x53, 0x0D, 0x0A, 0x1A, 0x0A, 1])
        let key = [UInt8](32..<64)
        let date: [UInt8] = [0, 0, 0, 0, 0x65, 0x53, 0xF1, 0x01]
        #expect(Array(bytes[9..<25]) == Self.digest(date, key, "anabranch.key-id", count: 16))
        let subkey = Self.digest(Array(bytes[25..<57]), key, "anabranch.bundle", count: 32)
        var state = crypto_secretstream_xchacha20poly1305_state()
        crypto_secretstream_xchacha20poly1305_init_pull(&state, Array(bytes[57..<81]), subkey)
        var plain = [UInt8](repeating: 0, count: bytes.count - 81 - 17)
        var tag: UInt8 = 0
        let status = crypto_secretstream_xchacha20poly1305_pull(
            &state, &plain, nil, &tag, Array(bytes[81...]), UInt64(bytes.count - 81),
            Array(bytes[..<81]), 81)
        #expect(status == 0 && tag == 3)
        #expect(plain == Self.example())
    }

    /// A short chunk at the end of a file is genuine, but says that more follows.
    @Test func `ends where its last chunk says so and nowhere else`() throws {
        let key = [UInt8](32..<64)
        let salt = [UInt8](repeating: 7, count: 32)
        let subkey = Self.digest(salt, key, "anabranch.bundle", count: 32)
        for (tag, isWhole) in [(0 as UInt8, false), (1, false), (2, false), (3, true)] {
            var state = crypto_secretstream_xchacha20poly1305_state()
            var stream = [UInt8](repeating: 0, count: 24)
            crypto_secretstream_xchacha20poly1305_init_push(&state, &stream, subkey)
            let header =
                SealedBundleHeader.magic + [1] + Self.keyRing.newest.id.bytes + salt + stream
            var chunk = [UInt8](repeating: 0, count: 3 + 17)
            crypto_secretstream_xchacha20poly1305_push(
                &state, &chunk, nil, [1, 2, 3], 3, header, UInt64(header.count), tag)
            let offset = Self.offset(ofDamageIn: header + chunk)
            #expect(offset == (isWhole ? nil : header.count + chunk.count), "\(tag)")
        }
    }

    private static func digest(
        _ message: [UInt8], _ key: [UInt8], _ purpose: String, count: Int
    ) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: count)
        crypto_generichash_blake2b_salt_personal(
            &out, count, message, UInt64(message.count), key, key.count, nil, Array(purpose.utf8))
        return out
    }
}
