import TestSupport
import Testing

@Suite struct FixturesTests {
    @Test(.needsFixtures) func `the fixtures' folder holds what tests read`() throws {
        for folder in ["models", "stores", "datasets", "predicates.jsonl"] {
            _ = try Fixtures.url(folder)
        }
    }

    @Test func `a missing fixture names its path or the variable`() {
        #expect {
            try Fixtures.url("no such file")
        } throws: { error in
            "\(error)".contains("ANABRANCH_FIXTURES")
        }
    }
}
