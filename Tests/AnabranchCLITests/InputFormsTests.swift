import Anabranch
import Testing

@testable import AnabranchCLI

@Suite struct InputFormsTests {
    private static func arguments(_ options: [String: String] = [:]) -> ParsedArguments {
        ParsedArguments(
            command: "import", values: options.mapValues { [$0] }, words: [:])
    }

    private func form(_ text: String) throws -> TimeForm {
        try TimeForm(text, Self.arguments())
    }

    /// The seconds of a text since 2001; a time without an offset is UTC.
    private func seconds(_ text: String, _ form: String) throws -> Double? {
        switch try self.form(form).time(of: text) {
        case .calendar(let time): time.moment(at: time.offset ?? 0)
        case .moment(let seconds): seconds
        case nil: nil
        }
    }

    @Test(arguments: [
        ("1700000000", "seconds-since-1970", "2023-11-14T22:13:20Z"),
        ("1700000000.25", "seconds-since-1970", "2023-11-14T22:13:20.25Z"),
        ("-0.5", "seconds-since-1970", "1969-12-31T23:59:59.5Z"),
        ("1.7e9", "seconds-since-1970", "2023-11-14T22:13:20Z"),
        ("0", "seconds-since-2001", "2001-01-01T00:00:00Z"),
        ("-0.25", "seconds-since-2001", "2000-12-31T23:59:59.75Z"),
        ("1700000000123", "milliseconds-since-1970", "2023-11-14T22:13:20.123Z"),
        ("-1", "milliseconds-since-1970", "1969-12-31T23:59:59.999Z"),
        ("1714566615.1234567", "seconds-since-1970", "2024-05-01T12:30:15.1234567Z"),
        ("31.12.2023", "dd.MM.yyyy", "2023-12-31T00:00:00Z"),
        ("1.2.23 7:05", "d.M.yy H:mm", "2023-02-01T07:05:00Z"),
        ("20240229", "yyyyMMdd", "2024-02-29T00:00:00Z"),
        ("2/29/2024 12:01:02 am", "M/d/yyyy h:mm:ss a", "2024-02-29T00:01:02Z"),
        ("2/29/2024 12:01 PM", "M/d/yyyy h:mm a", "2024-02-29T12:01:00Z"),
        ("Feb 29, 2024", "MMM d, yyyy", "2024-02-29T00:00:00Z"),
        ("29 february 2024", "d MMMM yyyy", "2024-02-29T00:00:00Z"),
        ("2024/02/29T10:00:00,125+0230", "yyyy/MM/dd'T'HH:mm:ss,SX", "2024-02-29T07:30:00.125Z"),
        ("2024年02月29日", "yyyy年MM月dd日", "2024-02-29T00:00:00Z"),
        ("2024-02-29 10:00+02:00", "yyyy-MM-dd HH:mmXX", "2024-02-29T08:00:00Z"),
        ("29.02.2024 o'clock 9", "dd.MM.yyyy 'o''clock' H", "2024-02-29T09:00:00Z"),
    ])
    func `a time is read in its form`(text: String, form: String, time: String) throws {
        #expect(try seconds(text, form).map(TimeText.text) == time)
    }

    @Test(arguments: [
        ("1700000000000", "seconds-since-1970"), ("0x10", "seconds-since-1970"),
        ("2024-05-01", "seconds-since-1970"), ("nan", "seconds-since-2001"),
        ("1e30", "milliseconds-since-1970"), ("", "seconds-since-1970"),
        ("1.2.2023", "dd.MM.yyyy"), ("30.02.2024", "dd.MM.yyyy"), ("01.13.2024", "dd.MM.yyyy"),
        ("31.12.2023 ", "dd.MM.yyyy"), ("31.12.23", "dd.MM.yyyy"),
        ("31.12.2023 24:00", "dd.MM.yyyy HH:mm"),
        ("1/1/2024 13:00 PM", "M/d/yyyy h:mm a"), ("1/1/2024 0:00 AM", "M/d/yyyy h:mm a"),
        ("Sept 1, 2024", "MMM d, yyyy"), ("2024-05-01T10:00:00+021", "yyyy-MM-dd'T'HH:mm:ssX"),
    ])
    func `a text in another form is no time`(text: String, form: String) throws {
        #expect(try seconds(text, form) == nil)
    }

    @Test(arguments: [
        ("second-since-1970", "Did you mean seconds-since-1970?"), ("dd.MM", "names no day"),
        ("dd.MM.yyyy mm", "names no time of day"), ("dd.MM.yyyy hh:mm", "names no time of day"),
        ("dMyyyy", "several ways"), ("dd.MM.yyyy 'Uhr", "isn't closed"),
        ("dd.MM.yyyy zzz", "'zzz'"), ("YYYY-MM-DD", "'YYYY'"), ("dd.dd.MM.yyyy", "something twice"),
    ])
    func `a pattern that reads no time is refused`(pattern: String, message: String) {
        let error = #expect(throws: UsageError.self) { try form(pattern) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("1.234,50", ",", "1234.50"), ("-1.234.567", ",", "-1234567"), ("0,5", ",", "0.5"),
        ("12 345,6", ",", "12345.6"), ("12\u{A0}345", ",", "12345"), ("1'234.5", ".", "1234.5"),
        ("1,234.5", ".", "1234.5"), ("1,5e3", ",", "1.5e3"), ("nan", ",", "nan"), ("7", ",", "7"),
    ])
    func `numbers are read with their separators`(text: String, decimal: String, number: String)
        throws
    {
        let form = try NumberForm(decimal, Self.arguments())
        #expect(form.canonical(text) == number)
    }

    @Test(arguments: [
        ("1.5", ","), ("0.125", ","), ("1.23.456", ","), ("1.234 567", ","), ("1,5", "."),
        ("1,5,5", ","), (".123", ","), ("1.2345", ","),
    ])
    func `a number with wrong groups is refused`(text: String, decimal: String) throws {
        let form = try NumberForm(decimal, Self.arguments())
        #expect(form.canonical(text) == nil)
    }

    private func time(_ text: String, in zone: String) throws -> LocalZone.Offset {
        guard case .calendar(let time) = TimeForm.iso8601.time(of: text) else {
            Issue.record("\(text) is no time.")
            return .missing
        }
        return try LocalZone(zone, Self.arguments()).offset(of: time)
    }

    @Test(arguments: [
        ("2024-07-01T12:00", "Europe/Berlin", 7200), ("2024-01-01", "Europe/Berlin", 3600),
        ("2024-03-31T01:59:59", "Europe/Berlin", 3600), ("2024-03-31T03:00", "Europe/Berlin", 7200),
        ("2024-10-27T01:59", "Europe/Berlin", 7200), ("2024-10-27T03:00", "Europe/Berlin", 3600),
        ("2024-07-01T12:00", "-05:30", -19800), ("2024-07-01T12:00", "UTC", 0),
        // Clocks were moved at midnight, forward and back.
        ("2018-11-04", "America/Sao_Paulo", -10800), ("2023-11-05", "America/Havana", -14400),
    ])
    func `a local time has the offset of its zone`(text: String, zone: String, offset: Int) throws {
        guard case .known(offset) = try time(text, in: zone) else {
            Issue.record("\(text) in \(zone)")
            return
        }
    }

    @Test func `a local time that was skipped or repeated has no offset`() throws {
        guard case .missing = try time("2024-03-31T02:30", in: "Europe/Berlin"),
            case .twice = try time("2024-10-27T02:30", in: "Europe/Berlin"),
            case .missing = try time("2011-12-30", in: "Pacific/Apia")
        else {
            Issue.record("An offset was chosen.")
            return
        }
        let error = #expect(throws: UsageError.self) {
            try LocalZone("Europe/Berlim", Self.arguments())
        }
        #expect(error?.message.contains("Did you mean Europe/Berlin?") == true)
    }

    @Test(arguments: [
        ("Straße", "Straße"), ("a b=c", "'a b=c'"), ("it's", "'it'\\''s'"), ("", "''"),
        ("$HOME", "'$HOME'"), ("a\nb", "$'a\\012b'"), ("=ls", "'=ls'"), ("x=y", "x=y"),
        ("a;b", "'a;b'"), ("*", "'*'"),
    ])
    func `a word of advice is quoted for the shell`(word: String, quoted: String) {
        #expect(ShellWord.quoted(word) == quoted)
    }
}
