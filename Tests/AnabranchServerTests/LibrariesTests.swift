import CPostgreSQL
import Testing

@Suite struct `Libraries of the server` {
    /// Zones in PostgreSQL are a back end to come; that its client is found and links is not.
    @Test func `PostgreSQL's client is there, and thread-safe`() {
        #expect(PQlibVersion() >= 130_000)
        #expect(PQisthreadsafe() == 1)
    }
}
