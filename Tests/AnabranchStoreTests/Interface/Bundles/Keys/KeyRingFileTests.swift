import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of the effects of file systems and of other users on the file of a key ring.
@Suite struct `A key ring's file` {
    private let folder: TemporaryDirectory
    private let ring = BundleKeyRing()
    private var url: URL { folder.url.appending(path: "a.keys") }

    init() throws { folder = try TemporaryDirectory("key-files") }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func error(_ body: () throws -> Void) -> KeyRingError? {
        #expect(throws: KeyRingError.self, performing: body)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `keeps its owner, whichever user changes it`() throws {
        try ring.create(at: url)
        #expect(chown(url.path, 65_533, 65_534) == 0)
        try BundleKeyRing.update(at: url) { try $0.rotate() }
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect(attributes[.ownerAccountID] as? Int == 65_533)
        #expect(attributes[.groupOwnerAccountID] as? Int == 65_534)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try BundleKeyRing(contentsOf: url).keys.count == 2)
    }

    @Test func `has changed where only its name may not be on the disk, and that is said`() throws {
        let file = KeyRingFile(path: url.path, refusing: [.folderFlush])
        let created = error { try file.create(ring) }
        #expect(created?.code == .notDurable)
        #expect(created?.message.contains("is written") == true)
        #expect(try BundleKeyRing(contentsOf: url).keys == ring.keys)
        let changed = error { _ = try file.update { try $0.rotate() } }
        #expect(changed?.code == .notDurable)
        #expect(changed?.path == url.path)
        #expect(try BundleKeyRing(contentsOf: url).keys.count == 2)
        #expect(try names() == ["a.keys"])
    }

    @Test func `is not created where other users could read it, whatever its mode`() throws {
        let file = KeyRingFile(path: url.path, refusing: [.rights])
        let created = error { try file.create(ring) }
        #expect(created?.code == .cannotWrite)
        #expect(created?.message.contains("chmod") == false)
        #expect(try names() == [])
        try ring.create(at: url)
        #expect(error { _ = try file.update { try $0.rotate() } }?.code == .cannotWrite)
        #expect(try BundleKeyRing(contentsOf: url).keys == ring.keys)
        #expect(try names() == ["a.keys"])
    }

    @Test func `is named in a command that a shell accepts, whatever its name`() throws {
        let odd = folder.url.appending(path: "Ada's keys; $HOME.keys")
        try ring.create(at: odd)
        #expect(chmod(odd.path, 0o644) == 0)
        let message = try #require(error { _ = try BundleKeyRing(contentsOf: odd) }?.message)
        let command = try #require(message.firstRange(of: "chmod 600 "))
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", String(message[command.lowerBound...])]
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(try BundleKeyRing(contentsOf: odd).keys == ring.keys)
    }

    // MARK: - What crashes leave

    @Test func `an update removes the secrets that a crash left beside it, and nothing else`()
        throws
    {
        try ring.create(at: url)
        let left = "a.keys.0123456789abcdef.partial"
        let others = [
            "a.keys.0123456789abcdef", "a.keys.0123456789abcde.partial", "a.keys.partial",
            "a.keys.0123456789ABCDEF.partial", "b.keys.0123456789abcdef.partial",
        ]
        for name in [left] + others {
            try Data("x".utf8).write(to: folder.url.appending(path: name))
        }
        try BundleKeyRing.update(at: url) { try $0.rotate() }
        #expect(try names() == (["a.keys"] + others).sorted())
    }

    @Test func `keeps what another process is writing at the moment`() throws {
        try ring.create(at: url)
        let busy = folder.file("a.keys.0123456789abcdef.partial")
        let file = open(busy, O_WRONLY | O_CREAT, 0o600)
        #expect(file >= 0 && flock(file, LOCK_EX) == 0)
        try BundleKeyRing.update(at: url) { try $0.rotate() }
        #expect(try names().count == 2)
        close(file)
        try BundleKeyRing.update(at: url) { try $0.rotate() }
        #expect(try names() == ["a.keys"])
    }
}
