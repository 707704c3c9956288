import CPostgreSQL
import Testing

@Suite struct `Libraries of the server` {
    /// A back end for PostgreSQL is planned. The test shows that the client library is found and
    /// linked.
    @Test func `PostgreSQL's client is there, and thread-safe`() {
        #expect(PQlibVersion() >= 130_000)
        #expect(PQisthreadsafe() == 1)
    }
}
