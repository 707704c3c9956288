import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of the files to which bundles are written, and of the files that they must not replace.
@Suite struct `The file of a bundle` {
    let scenario: StoreScenario
    private let files = FileManager.default

    init() throws { scenario = try StoreScenario() }

    private func refusal(_ store: Store, to path: String) -> StoreError? {
        storeError { _ = try store.exportBundle(to: path) }
    }

    private func names() throws -> Set<String> {
        try Set(files.contentsOfDirectory(atPath: scenario.folder.path))
    }

    // MARK: - Not a store

    @Test func `is never the store, whichever path names it`() throws {
        let store = try scenario.open("a")
        try store.insertPerson("Anna")
        let hash = try store.canonicalHash()
        try files.createSymbolicLink(
            atPath: scenario.path("link"), withDestinationPath: store.path)
        try files.linkItem(atPath: store.path, toPath: scenario.path("second name"))
        try files.createDirectory(
            atPath: scenario.path("folder"), withIntermediateDirectories: false)
        try files.createSymbolicLink(
            atPath: scenario.path("elsewhere"), withDestinationPath: scenario.folder.path)
        let before = try names()
        for name in ["a", "link", "second name", "folder/../a", "elsewhere/a", "./a"] {
            let error = refusal(store, to: "\(scenario.folder.path)/\(name)")
            #expect(error?.code == .alreadyExists, "\(name)")
            #expect(error?.message.contains("Choose another name") == true)
        }
        #expect(try names() == before)
        store.close()
        #expect(try scenario.open("a").canonicalHash() == hash)
    }

    @Test func `is never a file that belongs to the store, even if that does not exist`() throws {
        let store = try scenario.open("a")
        try store.insertPerson("Anna")
        try files.createSymbolicLink(
            atPath: scenario.path("elsewhere"), withDestinationPath: scenario.folder.path)
        for name in ["a-wal", "a-shm", "a-journal", "elsewhere/a-journal", "elsewhere/a-wal"] {
            #expect(refusal(store, to: scenario.path(name))?.code == .alreadyExists, "\(name)")
        }
        #expect(!files.fileExists(atPath: scenario.path("a-journal")))
        // If the store was opened through a link, SQLite keeps the files beside its target.
        store.close()
        try files.createSymbolicLink(
            atPath: scenario.path("link"), withDestinationPath: scenario.path("a"))
        let linked = try scenario.open("link")
        #expect(refusal(linked, to: scenario.path("a-wal"))?.code == .alreadyExists)
        #expect(refusal(linked, to: scenario.path("a"))?.code == .alreadyExists)
        _ = try linked.exportBundle(to: scenario.path("a.bundle"))
    }

    @Test func `takes the place of a bundle, and of no other file`() throws {
        let store = try scenario.open("a")
        try store.insertPerson("Anna")
        let other = try scenario.open("other")
        try other.insertPerson("Bob")
        other.close()
        let keys = BundleKeyRing()
        try keys.create(at: URL(filePath: scenario.path("keys")))
        try Data("letter".utf8).write(to: URL(filePath: scenario.path("text")))
        for name in ["other", "keys", "text"] {
            let before = try Data(contentsOf: URL(filePath: scenario.path(name)))
            let error = refusal(store, to: scenario.path(name))
            #expect(error?.code == .alreadyExists, "\(name)")
            #expect(error?.message.contains("not a bundle") == true)
            #expect(try Data(contentsOf: URL(filePath: scenario.path(name))) == before)
        }
        // A truncated bundle is a bundle, and replacing an empty file loses nothing.
        let bundle = scenario.path("a.bundle")
        for beginning in [[], BundleHeader.magic, Array(BundleHeader.magic.prefix(3))] {
            try Data(beginning).write(to: URL(filePath: bundle))
            #expect(try store.exportBundle(to: bundle).setCount == 1)
        }
        for keyRing in [keys, nil] {
            #expect(try store.exportBundle(to: bundle, sealedWith: keyRing).setCount == 1)
        }
        #expect(try BundleFile(bundle).check().setCount == 1)
    }

    @Test func `has a reason where it can't be written`() throws {
        let store = try scenario.open("a")
        try files.createDirectory(
            atPath: scenario.path("folder"), withIntermediateDirectories: false)
        let pipe = scenario.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for (name, cause) in [
            ("folder", "a folder"), ("pipe", "not a regular file"), ("none/b", "No such file"),
            ("a/b", "Not a directory"), (String(repeating: "x", count: 255), "too long"),
        ] {
            let error = refusal(store, to: scenario.path(name))
            #expect(error?.code == .cannotOpen, "\(name)")
            #expect(error?.message.contains(cause) == true, "\(error?.message ?? "")")
        }
        #expect(try scenario.partialFiles() == [])
    }

    @Test func `reports a full disk only if the disk is full`() {
        for (number, code) in [
            (ENOSPC, StoreError.Code.diskFull), (EDQUOT, .diskFull), (EIO, .cannotOpen),
            (EACCES, .cannotOpen), (EISDIR, .cannotOpen),
        ] {
            let error = StoreError(writingBundle: "a.bundle", SystemError(number))
            #expect(error.code == code)
            #expect(error.message.contains(String(cString: strerror(number))))
        }
    }

    // MARK: - While it is written

    @Test func `is whole even with concurrent writers, and takes no other name`() async throws {
        let store = try scenario.open("a")
        try store.insertPeople(5_000)
        try Data("mine".utf8).write(to: URL(filePath: scenario.path("x.partial")))
        let before = try names()
        let bundle = scenario.path("x")
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { _ = try store.exportBundle(to: bundle) }
            }
            try await group.waitForAll()
        }
        #expect(try BundleFile(bundle).check().setCount == 1)
        #expect(try names().subtracting(before) == ["x"])
        #expect(
            try Data(contentsOf: URL(filePath: scenario.path("x.partial"))) == Data("mine".utf8))
    }

    @Test func `is rewritten if a crash has left an incomplete one`() throws {
        let store = try scenario.open("a")
        let left = scenario.path("x.0123456789abcdef.partial")
        try Data(BundleHeader.magic).write(to: URL(filePath: left))
        _ = try store.exportBundle(to: scenario.path("x"))
        #expect(try scenario.partialFiles() == [])
    }

    // MARK: - Reading

    @Test(.timeLimit(.minutes(1)))
    func `has to be one that can be read twice`() throws {
        let store = try scenario.open("a")
        let pipe = scenario.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/dev/null"] {
            let error = storeError { try store.take(path) }
            #expect(error?.code == .cannotOpen)
            #expect(error?.message.contains("not a regular file") == true)
            #expect(error?.message.contains("Save it to a regular file") == true)
        }
    }

    @Test func `has a reason where it can't be read`() throws {
        let store = try scenario.open("a")
        for (path, cause) in [
            (scenario.path("none"), "No such file"), (scenario.folder.path, "it is a folder"),
            (scenario.path("a") + "/b", "Not a directory"),
        ] {
            let error = storeError { try store.take(path) }
            #expect(error?.code == .cannotOpen)
            #expect(error?.message.contains(cause) == true, "\(error?.message ?? "")")
        }
    }
}
