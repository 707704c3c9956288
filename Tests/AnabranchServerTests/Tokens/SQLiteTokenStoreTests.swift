import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct SQLiteTokenStoreTests {
    private let directory: TemporaryDirectory
    private let now = NowBox()

    init() throws { directory = try TemporaryDirectory("tokens") }

    private func open() throws -> SQLiteTokenStore {
        let now = now
        return try SQLiteTokenStore(
            path: directory.file("tokens.sqlite"),
            wallMilliseconds: { now.value.withLock { $0 } },
            randomBytes: ServerEnvironment.system.randomBytes)
    }

    @Test func `a secret opens its own zone with its own role`() throws {
        let store = try open()
        let zone = try ZoneName("notes")
        let (token, secret) = try store.create(
            for: ZonePattern(zone), role: .write, expires: nil)
        #expect(secret.text.hasPrefix("abt_"))
        #expect(secret.text.utf8.count == 47)
        let found = try #require(try store.token(matching: secret.text))
        #expect(found.number == token.number)
        #expect(found.zones == ZonePattern(zone))
        #expect(found.role == .write)
    }

    @Test func `a text that is nearly the secret opens nothing`() throws {
        let store = try open()
        let (_, secret) = try store.create(
            for: ZonePattern(try ZoneName("notes")), role: .read, expires: nil)
        let text = secret.text
        let last = text.last == "A" ? "E" : "A"
        let wrong = [
            "", "abt_", text + "A", String(text.dropLast()), String(text.dropLast()) + last,
            text.replacingOccurrences(of: "abt_", with: "abs_"), " " + text, text + " ",
            "abt_" + String(repeating: "A", count: 43), "abt_" + String(repeating: "é", count: 43),
        ]
        for text in wrong { #expect(try store.token(matching: text) == nil, "\(text)") }
    }

    @Test func `the file holds no secret`() throws {
        let store = try open()
        let (_, secret) = try store.create(
            for: ZonePattern(try ZoneName("notes")), role: .read, expires: nil)
        store.close()
        let text = secret.text.dropFirst(4)
        for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let bytes = [UInt8](
                FileManager.default.contents(atPath: directory.file(file)) ?? Data())
            #expect(bytes.firstRange(of: Array(text.utf8)) == nil)
        }
    }

    @Test func `a revoked token opens nothing, here and in another process's store`() throws {
        let store = try open()
        let other = try open()
        let (token, secret) = try store.create(
            for: ZonePattern(try ZoneName("notes")), role: .admin, expires: nil)
        #expect(try other.token(matching: secret.text) != nil)
        now.value.withLock { $0 += 5 }
        let revoked = try #require(try store.revoke(token.number))
        #expect(revoked.revoked == 1_700_000_000_005)
        #expect(try other.token(matching: secret.text) == nil)
        now.value.withLock { $0 += 5 }
        #expect(try store.revoke(token.number)?.revoked == 1_700_000_000_005)
        #expect(try store.revoke(99) == nil)
    }

    @Test func `tokens are listed by zone, and when they were last used`() throws {
        let store = try open()
        let notes = try ZoneName("notes")
        let (_, secret) = try store.create(
            for: ZonePattern(notes), role: .read, expires: nil)
        _ = try store.create(
            for: ZonePattern(try ZoneName("other")), role: .read, expires: nil)
        #expect(try store.tokens(zone: nil).count == 2)
        #expect(try store.tokens(zone: notes).map(\.lastUsed) == [nil])
        _ = try store.token(matching: secret.text)
        store.close()
        #expect(try open().tokens(zone: notes).map(\.lastUsed) == [1_700_000_000_000])
    }

    @Test func `a file of a later format is left as it is`() throws {
        try open().close()
        let path = directory.file("tokens.sqlite")
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA user_version = 99")
        connection.close()
        #expect {
            _ = try open()
        } throws: {
            ($0 as? StorageError)?.code == .newerFormat
        }
    }
}
