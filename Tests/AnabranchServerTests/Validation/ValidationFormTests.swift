import AnabranchReplication
import Foundation
import Testing

@testable import AnabranchServer

/// Tests of the JSON that the validation hook receives and answers.
@Suite struct ValidationFormTests {
    private static let record = RecordID(replica: ReplicaID(high: 1, low: 0xA0A0), number: 7)
    private static let name = "000000000000000100000000000" + "0a0a0"

    private func json(_ changes: [ChangeBlock], part: (Int, Int)? = nil) throws -> String {
        var author = TestAuthor(1)
        var request = try ValidationRequest(
            zone: "notes", author: ValidationAuthor(request: "r1", token: 4, address: "127.0.0.1"))
        try request.append(
            author.save(changes), part: part.map { (number: $0.0, count: $0.1) }
        ) { json in
            for block in changes { try json.append(block) }
        }
        let line = String(decoding: try request.finish(id: 3), as: UTF8.self)
        #expect(line.hasSuffix("}\n"))
        return String(line.dropLast())
    }

    @Test func `a request has the documented form`() throws {
        let expected = """
            {"address":"127.0.0.1","changeSets":[{"author":"test","changes":[{"entity":"Person",\
            "operation":"insert","properties":[{"name":"name","type":"string","value":"Ada"},\
            {"name":"age","type":"integer64","value":36}],"record":"\(Self.name)/7"}],"name":"",\
            "replica":"\(Self.name)","sequence":1,"time":"2023-11-14T22:13:20.000Z"}],"id":3,\
            "request":"r1","token":4,"version":1,"zone":"notes"}
            """
        #expect(try json([.person(Self.record, name: "Ada")]) == expected)
    }

    @Test func `a part is marked with its number`() throws {
        let text = try json([.rename(Self.record, to: "Ada")], part: (2, 5))
        #expect(text.contains(#""part":2,"parts":5,"#))
        #expect(text.contains(#""operation":"update""#))
    }

    @Test func `deletes and links name their records`() throws {
        let other = RecordID(replica: Self.record.replica, number: 8)
        let text = try json([
            .delete(Self.record), .befriend(Self.record, other),
            .unfriend(Self.record, other, seen: []),
            .yieldingDelete(
                YieldingDeleteBlock(
                    entity: "Person", deletes: [.init(record: other, stampsSeen: [])])),
        ])
        #expect(
            text.contains(
                #"{"entity":"Person","operation":"delete","record":"\#(Self.name)/7"}"#))
        #expect(
            text.contains(
                #"{"entity":"Person","operation":"link","record":"\#(Self.name)/7","#
                    + #""relationship":"friends","target":"\#(Self.name)/8"}"#))
        #expect(text.contains(#""operation":"unlink""#))
        #expect(
            text.contains(
                #"{"entity":"Person","operation":"delete","record":"\#(Self.name)/8"}"#))
    }

    @Test(arguments: [
        (PropertyValue.null, "null"), (.bool(true), "true"), (.integer(-5), "-5"),
        (.integer(9_007_199_254_740_991), "9007199254740991"),
        (.integer(9_007_199_254_740_992), "\"9007199254740992\""),
        (.integer(.min), "\"-9223372036854775808\""), (.double(0.5), "0.5"),
        (.double(.infinity), "\"Infinity\""), (.double(.nan), "\"NaN\""),
        (.string("a\n\"b"), #""a\n\"b""#), (.string("\u{1}\\é\r\t"), #""\u0001\\é\r\t""#),
        (.double(3), "3"), (.double(-1e300), "-1e+300"), (.double(-.infinity), "\"-Infinity\""),
        (.date(0.25), "\"2001-01-01T00:00:00.250Z\""),
        (.date(-0.25), "\"2000-12-31T23:59:59.750Z\""), (.date(1e300), "\"1e+300 s since 2001\""),
        (.data(Data([1, 2, 255])), "\"AQL/\""), (.uri("x:y/z"), "\"x:y/z\""),
        (.string(String(repeating: "x", count: (1 << 20) + 1)), #"{"omittedBytes":1048577}"#),
        (.reference(Self.record), "\"\(Self.name)/7\""),
    ])
    func `a value is exact or marked`(value: PropertyValue, expected: String) throws {
        let property = WireProperty(name: "p", type: .string)
        let rows = RowBlock(
            entity: "Person", records: [Self.record], properties: [property], columns: [[value]])
        let text = try json([.update(rows)])
        #expect(text.contains(#""value":\#(expected)}]"#))
    }

    @Test func `decimals and members of groups are shown`() throws {
        let decimal = try #require(ExactDecimal("12345678901234567890.5"))
        let group = try #require(
            GroupValue([.init(name: "cents", type: .decimal, value: .decimal(decimal))]))
        let rows = RowBlock(
            entity: "Person", records: [Self.record],
            properties: [WireProperty(name: "price", type: .group, rule: .group)],
            columns: [[.group(group)]])
        let member = #"[{"name":"cents","type":"decimal","value":"12345678901234567890.5"}]"#
        #expect(try json([.update(rows)]).contains(#""type":"group","value":\#(member)}"#))
    }

    private func verdicts(_ text: String, count: Int = 1) throws -> [ValidationVerdict] {
        try ValidationAnswer.verdicts(in: Array(text.utf8), of: 9, count: count)
    }

    @Test func `answers accept and reject`() throws {
        let verdicts = try verdicts(
            """
            {"version":1,"id":9,"results":[{"accept":true},{"accept":false},
            {"accept":false,"code":"not-allowed","reason":"No."},
            {"accept":false,"code":"too-cheap","reason":"Pay more."}]}
            """, count: 4)
        #expect(
            verdicts == [
                .accepted,
                .rejected(
                    SaveRejection(
                        .validationFailed, "A rule of the server's operator forbids the save.")),
                .rejected(SaveRejection(.notAllowed, "No.")),
                .rejected(
                    SaveRejection(
                        .init(rawValue: "validation-failed/too-cheap"), "Pay more.")),
            ])
    }

    @Test func `a code of the zone itself can't be claimed, and a long reason is cut`() throws {
        let reason = String(repeating: "é", count: 5000)
        let result = #"{"accept":false,"code":"malformed","reason":"\#(reason)"}"#
        let verdict = try verdicts(#"{"version":1,"id":9,"results":[\#(result)]}"#)
        guard case .rejected(let rejection) = verdict.first else {
            Issue.record("the save was accepted")
            return
        }
        #expect(rejection.code.rawValue == "validation-failed/malformed")
        #expect(rejection.reason.utf8.count == SaveRejection.longestReason)
    }

    @Test(arguments: [
        "", "no", "[]", "{}", #"{"version":1,"id":9}"#,
        #"{"version":2,"id":9,"results":[{"accept":true}]}"#,
        #"{"version":1,"id":8,"results":[{"accept":true}]}"#,
        #"{"version":1,"id":9,"results":[]}"#,
        #"{"version":1,"id":9,"results":[{"accept":true},{"accept":true}]}"#,
        #"{"version":1,"id":9,"results":[{"accept":1}]}"#,
        #"{"version":1,"id":9,"results":[{"accept":"yes"}]}"#,
        #"{"version":1,"id":9,"results":[{}]}"#,
        #"{"version":1,"id":9,"results":[{"accept":false,"code":""}]}"#,
        #"{"version":1,"id":9,"results":[{"accept":false,"code":"Too Cheap"}]}"#,
        #"{"version":1,"id":9,"results":[{"accept":true}]} x"#,
    ])
    func `an answer in another form is a failure and no verdict`(text: String) {
        #expect(throws: ValidationFailure.self) { try verdicts(text) }
    }

    @Test func `a place is a URL or a program`() throws {
        #expect(try ValidationPlace("http://127.0.0.1:9/x") == .http("http://127.0.0.1:9/x"))
        #expect(try ValidationPlace("command:/bin/cat") == .command("/bin/cat"))
        for text in [
            "", "check", "ftp://a/b", "http://", "command:", "command:cat", "command:/missing",
            "command:/etc/passwd", "command:/tmp",
        ] {
            #expect(throws: ValidationPlaceError.self, "\(text)") { try ValidationPlace(text) }
        }
    }
}
