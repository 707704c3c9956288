import AnabranchStore
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite struct `A key ring` {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("keys") }

    private func url(_ name: String = "a.keys") -> URL { folder.url.appending(path: name) }

    private static func known(_ count: Int = 3) -> BundleKeyRing {
        let secrets = (0..<count).map { number in
            (0..<32).map { UInt8(truncatingIfNeeded: number * 32 + $0) }
        }
        return BundleKeyRing(unsafeSecrets: secrets, since: 1_700_000_000)
    }

    private func mode(_ name: String = "a.keys") throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions]
            as? Int
    }

    private func text() throws -> String { try String(contentsOf: url(), encoding: .utf8) }

    /// Writes a file that only its owner may read.
    private func write(_ bytes: some Collection<UInt8>) throws {
        try Data(bytes).write(to: url())
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.file("a.keys"))
    }

    private func refusal(of bytes: some Collection<UInt8>) throws -> KeyRingError? {
        try write(bytes)
        return keyRingError { _ = try BundleKeyRing(contentsOf: url()) }
    }

    private func keyRingError(_ body: () throws -> Void) -> KeyRingError? {
        do {
            try body()
            return nil
        } catch {
            return error as? KeyRingError
        }
    }

    // MARK: - Keys

    @Test func `seals with its newest key, whatever the clock says`() throws {
        var ring = BundleKeyRing()
        #expect(ring.keys.count == 1)
        #expect(abs(ring.newest.date.timeIntervalSinceNow) < 60)
        for count in 2...4 {
            try ring.rotate()
            #expect(ring.keys.count == count)
            #expect(ring.newest == ring.keys.last)
        }
        #expect(zip(ring.keys, ring.keys.dropFirst()).allSatisfy { $0.date < $1.date })
        // This key was created while the clock was far ahead.
        let future = BundleKeyRing(unsafeSecrets: [Array(0..<32)], since: 3_800_000_000)
        try ring.formUnion(future)
        #expect(ring.newest == future.newest)
        try ring.rotate()
        #expect(ring.newest.date > future.newest.date)
    }

    @Test func `is the same for two members after both rotate and exchange keys`() throws {
        let common = Self.known()
        var (ada, bob) = (common, common)
        for _ in 0..<2 {
            try ada.rotate()
            try bob.rotate()
        }
        let (fromAda, fromBob) = (ada, bob)
        try ada.formUnion(fromBob)
        try bob.formUnion(fromAda)
        #expect(ada.keys == bob.keys)
        #expect(ada.keys.count == 7)
        try ada.formUnion(bob)
        #expect(ada.keys.count == 7)
    }

    @Test func `lets older keys go, and not the one that seals`() throws {
        var ring = Self.known()
        let keys = ring.keys
        #expect(keyRingError { try ring.remove(keys[2].id) }?.code == .sealingKey)
        try ring.remove(keys[0].id)
        #expect(ring.keys == [keys[1], keys[2]])
        #expect(keyRingError { try ring.remove(keys[0].id) }?.code == .notHeld)
    }

    @Test func `takes a thousand keys, up to the last year there is`() throws {
        var ring = Self.known(BundleKeyRing.maximumKeys)
        #expect(keyRingError { try ring.rotate() }?.code == .tooManyKeys)
        #expect(keyRingError { try ring.formUnion(BundleKeyRing()) }?.code == .tooManyKeys)
        try ring.create(at: url())
        #expect(try BundleKeyRing(contentsOf: url()).keys == ring.keys)
        let line = try text().split(separator: "\n").last ?? ""
        let error = try refusal(of: Array(text().utf8) + Array("\(line)\n".utf8))
        #expect(error?.code == .malformed)
        #expect(error?.line == BundleKeyRing.maximumKeys + 2)
        var last = BundleKeyRing(unsafeSecrets: [Array(0..<32)], since: .max)
        #expect(keyRingError { try last.rotate() }?.code == .lastDate)
        try last.create(at: url("last.keys"))
        #expect(try BundleKeyRing(contentsOf: url("last.keys")).keys == last.keys)
    }

    @Test func `is not locked to a key with the last date there is`() throws {
        let last = BundleKeyRing(unsafeSecrets: [Array(200..<232)], since: .max)
        // If it is the only key, there is no earlier one to return to.
        var only = last
        let refusal = keyRingError { try only.remove(last.newest.id) }
        #expect(refusal?.code == .sealingKey)
        #expect(refusal?.message.contains("new ring") == true)
        var ring = Self.known()
        let keys = ring.keys
        try ring.formUnion(last)
        let error = keyRingError { try ring.rotate() }
        #expect(error?.code == .lastDate)
        #expect(error?.message.contains("\(last.newest.id)") == true)
        #expect(error?.message.contains("Remove it") == true)
        try ring.remove(last.newest.id)
        #expect(ring.keys == keys)
        try ring.rotate()
        #expect(ring.keys.count == 4)
        // No other newest key can be removed.
        #expect(keyRingError { try ring.remove(ring.newest.id) }?.code == .sealingKey)
    }

    // MARK: - Files

    @Test func `comes back from its file, which has the bytes of the format`() throws {
        let ring = Self.known()
        try ring.create(at: url())
        Golden.expect(try text(), matches: "golden-1-key-ring.txt")
        #expect(try BundleKeyRing(contentsOf: url()).keys == ring.keys)
        let other = BundleKeyRing()
        try other.create(at: url("b.keys"))
        #expect(try BundleKeyRing(contentsOf: url("b.keys")).keys == other.keys)
    }

    @Test func `is a file that only its owner may read, and refused otherwise`() throws {
        try Self.known().create(at: url())
        #expect(try mode() == 0o600)
        try BundleKeyRing.update(at: url()) { try $0.rotate() }
        #expect(try mode() == 0o600)
        for mode in [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o777] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.file("a.keys"))
            let error = keyRingError { _ = try BundleKeyRing(contentsOf: url()) }
            #expect(error?.code == .exposed)
            #expect(error?.message.contains("chmod 600 '\(folder.file("a.keys"))'") == true)
            #expect(
                keyRingError { try BundleKeyRing.update(at: url()) { try $0.rotate() } }?.code
                    == .exposed)
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o400], ofItemAtPath: folder.file("a.keys"))
        #expect(try BundleKeyRing(contentsOf: url()).keys.count == 4)
    }

    @Test func `overwrites no file, and leaves none behind`() throws {
        let ring = Self.known()
        try ring.create(at: url())
        #expect(keyRingError { try BundleKeyRing().create(at: url()) }?.code == .alreadyExists)
        #expect(try BundleKeyRing(contentsOf: url()).keys == ring.keys)
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try BundleKeyRing.update(at: url()) { ring in
                try ring.rotate()
                throw Refused()
            }
        }
        #expect(try BundleKeyRing(contentsOf: url()).keys == ring.keys)
        let nowhere = folder.url.appending(path: "none/a.keys")
        #expect(keyRingError { try ring.create(at: nowhere) }?.code == .cannotWrite)
        #expect(keyRingError { _ = try BundleKeyRing(contentsOf: nowhere) }?.code == .cannotOpen)
        #expect(
            keyRingError { _ = try BundleKeyRing(contentsOf: folder.url) }?.code == .cannotOpen)
        #expect(
            keyRingError { try BundleKeyRing.update(at: nowhere) { _ in } }?.code == .cannotOpen)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.keys"])
    }

    @Test func `keeps the keys of all members that rotate at the same time`() async throws {
        try Self.known().create(at: url())
        let url = url()
        await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask { try BundleKeyRing.update(at: url) { try $0.rotate() } }
            }
        }
        #expect(try BundleKeyRing(contentsOf: url).keys.count == 19)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.keys"])
    }

    @Test func `is changed by a second update only when the first one is done`() throws {
        try Self.known().create(at: url())
        let url = url()
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try BundleKeyRing.update(at: url) { ring in
            DispatchQueue.global().async {
                _ = try? BundleKeyRing.update(at: url) { ring in
                    begun.signal()
                    try ring.rotate()
                }
                ended.signal()
            }
            #expect(begun.wait(timeout: .now() + 0.2) == .timedOut)
            try ring.rotate()
        }
        ended.wait()
        #expect(try BundleKeyRing(contentsOf: url).keys.count == 5)
    }

    @Test func `may be named by a link, which stays one`() throws {
        try Self.known().create(at: url())
        try FileManager.default.createSymbolicLink(at: url("link"), withDestinationURL: url())
        try BundleKeyRing.update(at: url("link")) { try $0.rotate() }
        #expect(try BundleKeyRing(contentsOf: url()).keys.count == 4)
        let link = folder.file("link")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == url().path)
    }

    // MARK: - Hostile text

    @Test func `a key ring with a byte changed, cut off or added is refused`() throws {
        try Self.known(2).create(at: url())
        let bytes = Array(try text().utf8)
        let ends = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        for place in bytes.indices {
            for bit in [1, 0x10, 0x20, 0x80] as [UInt8] {
                var changed = bytes
                changed[place] ^= bit
                #expect(try refusal(of: changed) != nil, "\(place)")
            }
            let isPrefixOfRing = ends.dropFirst(2).contains(place)
            #expect(try (refusal(of: bytes.prefix(place)) == nil) == isPrefixOfRing, "\(place)")
            var longer = bytes
            longer.insert(UInt8(ascii: "0"), at: place)
            #expect(try refusal(of: longer) != nil, "\(place)")
        }
        #expect(try refusal(of: bytes + [UInt8(ascii: "\n")])?.line == 4)
        #expect(try refusal(of: bytes)?.message == nil)
    }

    @Test func `says which line is wrong, and nothing of what stands there`() throws {
        try Self.known(2).create(at: url())
        let lines = try text().split(separator: "\n").map(String.init)
        let secret = try #require(lines[2].split(separator: " ").last)
        func refused(_ lines: [String]) throws -> KeyRingError? {
            let error = try refusal(of: Array((lines.joined(separator: "\n") + "\n").utf8))
            #expect(error?.path == folder.file("a.keys"))
            #expect(error.map { "\($0)".contains(secret) } == false)
            return error
        }
        for (text, line) in [
            ([lines[0]], 2), ([lines[1]], 1), ([lines[0], lines[2], lines[1]], 3),
            ([lines[0], lines[1], lines[1]], 3), ([lines[0], "", lines[1]], 2),
            ([lines[0], lines[1], lines[2].uppercased()], 3),
            ([lines[0], lines[1], lines[2] + "\r"], 3),
            ([lines[0], lines[1], lines[2].replacingOccurrences(of: "Z", with: "z")], 3),
            ([lines[0], lines[1], lines[2].replacingOccurrences(of: "-14T", with: "-31T")], 3),
            ([lines[0], lines[1], String(lines[2].dropLast(2)) + "é"], 3),
            (["", lines[0], lines[1]], 1), ([lines[0] + " ", lines[1]], 1),
            ([lines[0].replacingOccurrences(of: "1", with: "99999999999")], 1),
        ] {
            let error = try refused(text)
            #expect(error?.code == .malformed, "\(text.count) lines")
            #expect(error?.line == line, "\(String(describing: error))")
            #expect(error?.message.contains("line \(line) ") == true)
        }
        let newer = try refused([lines[0].replacingOccurrences(of: "1", with: "2"), lines[1]])
        #expect(newer?.code == .newerFormat)
        #expect(newer?.line == 1)
    }

    @Test func `random bytes are refused as a key ring`() throws {
        var generator = SeededGenerator(seed: 1)
        #expect(try refusal(of: [UInt8]())?.line == 1)
        for count in [1, 100, 1_000, 200_000, 1_000_000] {
            #expect(try refusal(of: generator.bytes(count: count))?.code == .malformed)
        }
        try Self.known(1).create(at: url("b.keys"))
        let heading = try Data(contentsOf: url("b.keys")).prefix { $0 != UInt8(ascii: "\n") }
        let endless = [UInt8](repeating: UInt8(ascii: "0"), count: 1_000_000)
        #expect(try refusal(of: heading + [UInt8(ascii: "\n")] + endless)?.line == 2)
    }

    @Test func `reveals no secret`() throws {
        let ring = Self.known(1)
        var dumped = ""
        dump(ring, to: &dumped)
        for text in ["\(ring)", String(reflecting: ring), dumped, "\(ring.keys)"] {
            #expect(!Self.tells(text))
        }
        #expect("\(ring)".contains("\(ring.newest.id)"))
        // The test would notice it in any form.
        let bytes = [UInt8](0..<32)
        dump(bytes, to: &dumped)
        let digits = bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        for text in ["\(bytes)", dumped, digits] { #expect(Self.tells(text)) }
    }

    /// Returns whether a text has the bytes 0 to 31: as hexadecimal digits, or one by one with
    /// anything between them, as `dump` writes them.
    private static func tells(_ text: String) -> Bool {
        let numbers = text.split { !$0.isNumber }.compactMap { UInt8($0) }
        return numbers.contains([UInt8](0..<32))
            || text.lowercased().contains("000102030405060708090a0b0c0d0e0f")
    }

    @Test func `names its keys by IDs that can be read back`() {
        for key in Self.known().keys {
            #expect(BundleKeyID("\(key.id)") == key.id)
            #expect("\(key.id)".count == 32)
        }
        for text in [
            "", "00", String(repeating: "A", count: 32), String(repeating: "g", count: 32),
        ] {
            #expect(BundleKeyID(text) == nil)
        }
    }
}
