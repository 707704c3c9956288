import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

@Suite struct `Sealed bundles of stores` {
    let scenario: StoreScenario
    private let keyRing = BundleKeyRing()

    init() throws { scenario = try StoreScenario() }

    private func bytes(of file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: file)))
    }

    private func write(_ bytes: some Collection<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: scenario.path(name)))
        return scenario.path(name)
    }

    private func header(of file: String) throws -> SealedBundleHeader {
        try #require(try BundleFile(file, BundleOpening(keyRing)).check().seal)
    }

    @Test func `contain byte for byte the content of a bundle in plain text`() throws {
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        try a.insertPeople(20_000)
        try a.insertPerson("Anna")
        let plain = try bytes(of: scenario.bundle(a, as: "plain.bundle"))
        let file = try scenario.bundle(a, as: "sealed.bundle", sealedWith: keyRing)
        let sealed = try bytes(of: file)
        var envelope = BundleEnvelope(BundleOpening(keyRing))
        #expect(try envelope.open(sealed) + envelope.finish() == plain)
        #expect(plain.count > 2 * BundleSealer.chunkBytes)
        let summary = try BundleFile(file, BundleOpening(keyRing)).check()
        #expect(summary.byteCount == sealed.count)
        #expect(summary.setCount == 2)
        #expect(summary.seal?.key == keyRing.newest.id)
        #expect(try b.take(file, openedWith: keyRing).appliedCount == 2)
        #expect(try a.canonicalHash() == b.canonicalHash())
    }

    @Test func `are read with their key, and change nothing without it`() throws {
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        try a.insertPerson("Anna")
        let sealed = try scenario.bundle(a, as: "a.bundle", sealedWith: keyRing)
        let text = String(decoding: try bytes(of: sealed), as: UTF8.self)
        #expect(!text.contains("Anna") && !text.contains("Person"))
        let required = storeError { try b.take(sealed) }
        #expect(required?.code == .keyRequired)
        let missing = storeError { try b.take(sealed, openedWith: BundleKeyRing()) }
        #expect(missing?.code == .keyMissing)
        for error in [required, missing] {
            #expect(error?.message.contains("\(keyRing.newest.id)") == true)
        }
        // An attacker could have replaced a sealed bundle by it.
        let plain = try scenario.bundle(a, as: "plain.bundle")
        #expect(storeError { try b.take(plain, openedWith: keyRing) }?.code == .notSealed)
        #expect(try b.read { try $0.logPosition() } == 0)
        #expect(try b.take(sealed, openedWith: keyRing).appliedCount == 1)
    }

    // MARK: - Keys that change

    @Test func `sealed bundles of a device that was away while the key changed are read`() throws {
        let (away, stayed) = (try scenario.open("away"), try scenario.open("stayed"))
        let old = keyRing
        var new = old
        try away.insertPerson("before")
        try stayed.take(
            scenario.bundle(away, as: "1.bundle", sealedWith: old), openedWith: old)
        try new.rotate()
        try stayed.insertPerson("after the change")
        // The device has not received the new key.
        try away.insertPerson("while away")
        let fromAway = try scenario.bundle(away, as: "2.bundle", sealedWith: old)
        #expect(try header(of: fromAway).key == old.newest.id)
        #expect(try stayed.take(fromAway, openedWith: new).appliedCount == 1)
        let fromStayed = try scenario.bundle(stayed, as: "3.bundle", sealedWith: new)
        let early = storeError { try away.take(fromStayed, openedWith: old) }
        #expect(early?.code == .keyMissing)
        // The device is back and receives the new key.
        #expect(try away.take(fromStayed, openedWith: new).appliedCount == 1)
        #expect(try away.canonicalHash() == stayed.canonicalHash())
    }

    @Test func `a bundle sealed with a newer key can't be read by a removed member`() throws {
        let (a, b, removed) =
            (try scenario.open("a"), try scenario.open("b"), try scenario.open("removed"))
        let old = keyRing
        try a.insertPerson("for all")
        let first = try scenario.bundle(a, as: "1.bundle", sealedWith: old)
        for store in [b, removed] { try store.take(first, openedWith: old) }
        var new = old
        try new.rotate()
        try a.insertPerson("for those who stay")
        let second = try scenario.bundle(a, as: "2.bundle", sealedWith: new)
        #expect(try b.take(second, openedWith: new).appliedCount == 1)
        let error = storeError { try removed.take(second, openedWith: old) }
        #expect(error?.code == .keyMissing)
        #expect(error?.message.contains("\(new.newest.id)") == true)
        #expect(try removed.canonicalHash() != a.canonicalHash())
        // The removed person can still read what was readable before. Bundles sealed under that key
        // are accepted until the key is removed.
        #expect(try removed.take(first, openedWith: old).heldCount == 1)
        try removed.insertPerson("from outside")
        let outside = try scenario.bundle(removed, as: "3.bundle", sealedWith: old)
        try new.remove(old.newest.id)
        #expect(storeError { try b.take(outside, openedWith: new) }?.code == .keyMissing)
    }

    // MARK: - Copies

    @Test func `sealed bundles of two copies share no bytes, and both are applied`() throws {
        let (original, copy) = try scenario.twins()
        #expect(try original.replica == copy.replica)
        let files = try [original, copy].enumerated().map { number, store in
            try scenario.bundle(store, as: "\(number).bundle", sealedWith: keyRing)
        }
        let names = try files.map { try scenario.changeSets(in: $0, keyRing).map(\.dot) }
        #expect(names[0] == names[1])
        try expectNothingShared(files)
        let third = try scenario.open("third")
        #expect(try third.take(files[0], openedWith: keyRing).appliedCount == 2)
        #expect(try third.take(files[1], openedWith: keyRing).waitingCount == 1)
        for store in [original, copy, third, original, copy, third] {
            try scenario.zone.sync(store)
            try scenario.zone.repair(store)
        }
        #expect(try third.waitingCount == 0)
        #expect(try Set([original, copy, third].map { try $0.canonicalHash() }).count == 1)
    }

    @Test func `two sealed bundles of the same history share no bytes`() throws {
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        try expectNothingShared(
            (0..<2).map { try scenario.bundle(a, as: "\($0).bundle", sealedWith: keyRing) })
    }

    /// Checks that the files share neither salt nor key nor any run of encrypted bytes.
    private func expectNothingShared(_ files: [String]) throws {
        let headers = try files.map { try header(of: $0) }
        #expect(headers[0].key == headers[1].key)
        #expect(headers[0].salt != headers[1].salt)
        let subkeys = try headers.map { try #require(keyRing.subkey(of: $0)) }
        #expect(!subkeys[0].isSame(as: subkeys[1]))
        #expect(subkeys[0].isSame(as: try #require(keyRing.subkey(of: headers[0]))))
        let runs = try files.map { file in
            let sealed = try bytes(of: file).dropFirst(SealedBundleHeader.byteCount)
            return Set((sealed.startIndex..<sealed.endIndex - 8).map { sealed[$0..<$0 + 8] })
        }
        #expect(runs[0].isDisjoint(with: runs[1]))
    }

    // MARK: - Files

    @Test func `sealed bundles that are cut or damaged change nothing`() throws {
        let a = try scenario.open("a")
        let b = try scenario.open("b")
        for name in ["Anna", "Bob", "Cyd"] { try a.insertPerson(name) }
        let sealed = try bytes(
            of: scenario.bundle(a, as: "a.bundle", sealedWith: keyRing))
        func refusal(_ bytes: some Collection<UInt8>) throws -> StoreError? {
            let file = try write(bytes, to: "bad.bundle")
            return storeError { try b.take(file, openedWith: keyRing) }
        }
        for count in stride(from: 0, to: sealed.count, by: 5) {
            let error = try refusal(sealed.prefix(count))
            #expect(error?.code == .damagedBundle)
            #expect(error?.message.contains("at offset") == true)
        }
        let version = SealedBundleHeader.magic.count
        let key = version + 1..<version + 17
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 0x10
            let expected: StoreError.Code =
                place < version
                ? .notSealed
                : place == version
                    ? .newerFormat : key.contains(place) ? .keyMissing : .damagedBundle
            #expect(try refusal(changed)?.code == expected, "\(place)")
        }
        #expect(try refusal(sealed + [0])?.code == .damagedBundle)
        #expect(try b.read { try $0.logPosition() } == 0)
        #expect(try b.waitingCount == 0)
    }

    @Test func `sealed bytes that are no bundle change nothing`() throws {
        let b = try scenario.open("b")
        let later = BundleHeader.magic + [9, 1, 2, 3]
        for (plain, code) in [
            (later + Digest(of: later).bytes, StoreError.Code.newerFormat), (later, .damagedBundle),
            (BundleHeader.magic + [1, 0xFF], .damagedBundle),
            (Array("no bundle".utf8), .damagedBundle), ([], .damagedBundle),
        ] {
            var sealer = BundleSealer(keyRing)
            let bytes = sealer.header.bytes + sealer.seal(plain) + sealer.finish()
            let file = try write(bytes, to: "none.bundle")
            #expect(storeError { try b.take(file, openedWith: keyRing) }?.code == code)
        }
    }

    @Test func `a sealed bundle changed after its check gives nothing of another bundle`() throws {
        let a = try scenario.open("a")
        for name in ["Anna", "Bob"] { try a.insertPerson(name) }
        try a.insertPeople(20_000)
        let file = try scenario.bundle(a, as: "a.bundle", sealedWith: keyRing)
        let opening = BundleOpening(keyRing)
        let summary = try BundleFile(file, opening).check()
        let sealed = try bytes(of: file)
        func reading(_ bytes: [UInt8]) throws -> (count: Int, error: StoreError?) {
            _ = try write(bytes, to: "a.bundle")
            var count = 0
            let error = storeError {
                try BundleFile(file, opening, checked: summary).forEachItem { _ in count += 1 }
            }
            return (count, error)
        }
        // These are a header, three change sets and an end.
        #expect(try reading(sealed).count == 5)
        // The cases are another whole bundle, a part of the same one, and one in plain text.
        let other = try bytes(of: scenario.bundle(a, as: "b.bundle", sealedWith: keyRing))
        let replaced = try reading(other)
        #expect(replaced.count == 0 && replaced.error?.code == .damagedBundle)
        let cut = try reading(Array(sealed.dropLast(100)))
        #expect(cut.count == 3 && cut.error?.code == .damagedBundle)
        #expect(cut.error?.message.contains("Nothing was changed") == false)
        let plain = try reading(try bytes(of: scenario.bundle(a, as: "plain.bundle")))
        #expect(plain.count == 0 && plain.error?.code == .notSealed)
    }

    @Test func `appear whole or not at all`() throws {
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        let file = try scenario.bundle(a, as: "a.bundle", sealedWith: keyRing)
        let before = try bytes(of: file)
        let stranger = BundleBase.replica(ReplicaID(high: 1, low: 2))
        #expect(
            storeError {
                _ = try a.exportBundle(to: file, lacking: stranger, sealedWith: keyRing)
            }?.code == .notHeld)
        #expect(try bytes(of: file) == before)
        #expect(try scenario.partialFiles() == [])
    }
}
