import Anabranch
import Foundation
import TestSupport
import Testing

/// The stores of the cookbook's app with three releases, one of each release.
///
/// The files in `Golden` stay as they are for ever: an app has to open what its first release
/// wrote. With `UPDATE_GOLDEN=1` a missing file is written, and no other.
@Suite(.waiting) struct ContactsStores {
    /// The output of all three releases, one after another.
    static let story = """
        Release 1
          name Ada Lovelace, phone 1815
          saved by release 1
        Release 2
          name Ada Lovelace, telephone 1815
          email grace@example.org, name Grace Brewster Hopper, telephone 1906
          saved by release 1, release 2
        Release 3
          familyName Lovelace, givenName Ada, telephone 1815
          email grace@example.org, familyName Hopper, givenName Grace Brewster, telephone 1906
          familyName Turing, givenName Alan, telephone 1912
          saved by release 1, release 2, migration, release 3

        """

    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "Golden")

    private static func golden(_ release: Int) -> URL {
        folder.appending(path: "contacts-\(release).store")
    }

    private func run(_ release: Int, _ store: String) throws -> String {
        let (text, status) = try ExampleProgram("Cookbook").run(
            ["three-releases", store, "\(release)"])
        #expect(status == 0)
        return text
    }

    @Test(.enabled(if: Golden.isUpdating, "UPDATE_GOLDEN=1 writes a store that is missing"))
    func `a store of each release is kept`() throws {
        let directory = try TemporaryDirectory("contacts")
        for release in 1...3 {
            _ = try run(release, directory.file("a.store"))
            guard !FileManager.default.fileExists(atPath: Self.golden(release).path) else {
                continue
            }
            try FileManager.default.copyItem(
                at: directory.url.appending(path: "a.store"), to: Self.golden(release))
        }
    }

    @Test(arguments: [
        (
            1,
            """
            Release 3
              familyName Lovelace, givenName Ada, telephone 1815
              familyName Turing, givenName Alan, telephone 1912
              saved by release 1, migration, release 3

            """
        ),
        (
            2,
            """
            Release 3
              familyName Lovelace, givenName Ada, telephone 1815
              email grace@example.org, familyName Hopper, givenName Grace Brewster, telephone 1906
              familyName Turing, givenName Alan, telephone 1912
              saved by release 1, release 2, migration, release 3

            """
        ),
        (
            3,
            """
            Release 3
              familyName Lovelace, givenName Ada, telephone 1815
              email grace@example.org, familyName Hopper, givenName Grace Brewster, telephone 1906
              familyName Turing, givenName Alan, telephone 1912
              saved by release 1, release 2, migration, release 3

            """
        ),
    ])
    func `the third release opens the store of each release`(
        _ release: Int, prints output: String
    ) throws {
        let directory = try TemporaryDirectory("contacts")
        let store = directory.file("a.store")
        try FileManager.default.copyItem(atPath: Self.golden(release).path, toPath: store)
        let before = try Self.hash(of: store)
        #expect(try run(3, store) == output)
        #expect((try Self.hash(of: store) == before) == (release == 3))
        #expect(try run(3, store) == output, "a second run changes nothing")
        let container = PersistentContainer(url: URL(filePath: store))
        try container.load()
        let check = try container.coordinator.checkFile()
        #expect(check.isValid, "\(check)")
        let stage = try container.coordinator.history().first { $0.author == "migration" }
        #expect(stage?.contextName == "Split the names")
        container.coordinator.close()
    }

    private static func hash(of store: String) throws -> String {
        let container = PersistentContainer(url: URL(filePath: store))
        try container.load()
        defer { container.coordinator.close() }
        return "\(try container.coordinator.canonicalHash())"
    }

    @Test func `an earlier release refuses a store of a later one`() throws {
        let directory = try TemporaryDirectory("contacts")
        let store = directory.file("a.store")
        try FileManager.default.copyItem(atPath: Self.golden(3).path, toPath: store)
        let run = try ExampleProgram("Cookbook").run(["three-releases", store, "2"])
        #expect(run.status != 0)
        #expect(FileManager.default.contentsEqual(atPath: store, andPath: Self.golden(3).path))
    }
}
