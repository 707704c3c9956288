import Testing

@testable import AnabranchServer

@Suite struct StoreLocationTests {
    @Test(arguments: [
        "postgres://ada:pa%secret@db/zones", "postgres://ada:secret%@db/zones",
        "postgres://ada:pa@secret@db/zones", "postgres://ada:pa/secret@db/zones",
        "postgres://ada:secret@[::1/zones", "postgres://ada:secret@db:port/zones",
        "postgres://ada:secret@db:5432secret/zones", "postgres://db/zones?password=secret%",
        "postgres://db/zones?password=secret&password", "postgres:ada:secret@db/zones",
        "postgress://ada:secret@db/zones", "Postgres://ada:secret@db/zones",
        "ada:secret@db/zones", "postgres//ada:secret@db", "host=db password=secret",
        "http://ada:secret@db/zones",
    ])
    func `a location that can't be read is not printed with its password`(text: String) {
        do throws(HTTPServerError) {
            let location = try StoreLocation(text)
            Issue.record("\(text) was read as \(location)")
        } catch {
            #expect(!"\(error)".contains("secret"))
            #expect("\(error)".contains("postgres://USER"))
        }
    }

    @Test(arguments: [
        "postgres://ada:p%40ss%2Fw%25rd@db:5432/zones", "postgres://ada@db/zones",
        "postgres://db1:1,db2:2/zones", "postgresql:///zones?host=/var/run&user=ada",
        "postgres://ada:secret@[::1]:5432/zones",
    ])
    func `each usual form is read, and shown without user and password`(text: String) throws {
        let shown = try StoreLocation(text).description
        #expect(!shown.contains("ada") && !shown.contains("p@ss") && !shown.contains("secret"))
        #expect(shown.hasSuffix("/zones"))
    }

    @Test(arguments: [
        ("http://ada:secret@127.0.0.1/check", "http://ada:"),
        ("http://ada:se%cret@host/", "http://ada:"),
        ("http://ada:se/cret@host/", "…"), ("http:/ada:secret@host", "…"), ("ada:secret@h", "…"),
        ("http://127.0.0.1/check", "http://127.0.0.1/check"), ("check", "check"),
    ])
    func `the place of a hook is shown without its password`(text: String, beginning: String) {
        let shown = ValidationPlace.withoutPassword(text)
        #expect(shown.hasPrefix(beginning) && !shown.contains("cret"), "\(shown)")
    }
}
