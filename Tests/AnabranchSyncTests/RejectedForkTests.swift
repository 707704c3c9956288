import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of rejected saves whose history forks after a restored zone has lost them.
struct RejectedForkTests {
    private static let validation = PushValidation { set, _ in
        set.author == "bad" ? SaveRejection(.validationFailed, "Not here.") : nil
    }

    /// The rejected save and the first save of the other branch insert a record of one name. No log
    /// has the content of the rejected save, so its record is known only by the later save.
    @Test(arguments: [false, true])
    func `a later save on a rejected record edits no record of another branch`(
        isHolderFirst: Bool
    ) async throws {
        let zone = try RestoredZone()
        let (scenario, names) = (zone.scenario, zone.scenario.names)
        let holder = try scenario.open("holder.db")
        try holder.insert("shared", names)
        try await zone.sync(holder)
        let backup = try zone.backUp()
        try zone.restore(backup, validation: Self.validation)
        try scenario.open("a.db").close()
        let beginning = try scenario.content(of: "a.db")
        var store = try scenario.open("a.db")
        try store.insert("rejected", by: "bad", names)
        try store.setAge(7, of: "rejected", names)
        for store in [store, holder] { try await zone.sync(store) }
        store.close()
        let rejected = try scenario.content(of: "a.db")

        try zone.restore(backup, validation: Self.validation)
        try scenario.overwrite("a.db", with: beginning)
        store = try scenario.open("a.db")
        try store.insert("another", names)
        try await zone.sync(store)
        store.close()
        try scenario.overwrite("a.db", with: rejected)
        store = try scenario.open("a.db")
        for store in isHolderFirst ? [holder, store] : [store, holder] {
            try await zone.sync(store)
        }
        try await zone.expectConverged([store, holder], people: 2)
        #expect(try store.row("another", names)?.slots[names.age] == .integer(0))
        #expect(try store.rejectedSaves().count == 1)
    }
}
