import AnabranchStore
import Testing

struct CommitWatchTests {
    @Test func `notices commits by every opening of the file, and nothing else`() throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        let watch = try CommitWatch(of: store)
        #expect(try watch.hasChanged(), "the first call knows nothing")
        #expect(try !watch.hasChanged())
        try store.insertPerson("Anna")
        #expect(try watch.hasChanged())
        #expect(try !watch.hasChanged())
        let other = try scenario.open("a")
        _ = try watch.hasChanged()
        try other.insertPerson("Bob")
        #expect(try watch.hasChanged())
        _ = try store.syncState()
        #expect(try !watch.hasChanged())
    }
}
