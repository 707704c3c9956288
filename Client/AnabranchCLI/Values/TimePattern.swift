import AnabranchModel

/// A pattern of times, such as `dd.MM.yyyy HH:mm`, with the letters that Unicode's date formats
/// have.
///
/// | letters | what they read |
/// |---|---|
/// | `yyyy`, `yy` | a year of four digits; the last two digits of a year from 2000 to 2099 |
/// | `MM`, `M` | a month of two digits; of one or two |
/// | `MMM`, `MMMM` | an English month, in three letters; in full |
/// | `dd`, `d` | a day of two digits; of one or two |
/// | `HH`, `H`, `hh`, `h` | an hour from 0 to 23; from 1 to 12, with `a` for AM or PM |
/// | `mm`, `m`, `ss`, `s` | minutes; seconds |
/// | `S` | the fraction of a second, with any number of digits |
/// | `X` | an offset: `Z`, `+02:00`, `+0200` or `+02` |
///
/// Letters between single quotes stand for themselves, and so does every other character. Two
/// single quotes are one.
struct TimePattern {
    private enum Field: Hashable {
        case year, yearOfCentury, month, date, hour, hourOfHalf, minute, second
    }

    private enum Part {
        case literal([UInt8])
        case number(Field, ClosedRange<Int>)
        case monthName(isFull: Bool)
        /// AM or PM.
        case half
        case fraction
        case offset

        var isNumber: Bool {
            switch self {
            case .number, .fraction: true
            case .literal, .monthName, .half, .offset: false
            }
        }

        /// True if the part can have several lengths, so that no digit may follow it.
        var isOpen: Bool {
            switch self {
            case .number(_, let counts): counts.count > 1
            case .fraction: true
            case .offset: true
            case .literal, .monthName, .half: false
            }
        }
    }

    /// The pattern as it was typed.
    let text: String
    private let parts: [Part]
    private let hasTimeOfDay: Bool

    private static let known: [String: Part] = [
        "yyyy": .number(.year, 4...4), "yy": .number(.yearOfCentury, 2...2),
        "MM": .number(.month, 2...2), "M": .number(.month, 1...2),
        "MMM": .monthName(isFull: false), "MMMM": .monthName(isFull: true),
        "dd": .number(.date, 2...2), "d": .number(.date, 1...2),
        "HH": .number(.hour, 2...2), "H": .number(.hour, 1...2),
        "hh": .number(.hourOfHalf, 2...2), "h": .number(.hourOfHalf, 1...2), "a": .half,
        "mm": .number(.minute, 2...2), "m": .number(.minute, 1...2),
        "ss": .number(.second, 2...2), "s": .number(.second, 1...2),
        "Z": .offset,
    ]

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ]

    /// Reads a pattern.
    ///
    /// - Throws: ``UsageError`` for unknown letters, and for a pattern that names no day or can be
    ///   read in two ways.
    init(_ text: String, _ arguments: ParsedArguments) throws(UsageError) {
        self.text = text
        parts = try Self.parts(of: text, arguments)
        let letters = parts.map(Self.letter)
        func has(_ wanted: Character) -> Bool { letters.contains(wanted) }
        hasTimeOfDay = has("H") || has("h")
        let named = letters.compactMap { $0 }
        guard has("y"), has("M"), has("d"), Set(named).count == named.count else {
            throw arguments.error(
                "'\(text)' names no day, or something twice. A pattern has the year (yyyy), the "
                    + "month (MM) and the day (dd) once.")
        }
        guard has("h") == has("a"), !has("H") || !has("h"),
            hasTimeOfDay || !has("m") && !has("s") && !has("S"), has("m") || !has("s"),
            has("s") || !has("S")
        else {
            throw arguments.error(
                "'\(text)' names no time of day. A pattern has hours (HH, or hh with a), then "
                    + "minutes (mm), seconds (ss) and their fraction (S).")
        }
        for (part, following) in zip(parts, parts.dropFirst()) {
            guard part.isOpen, following.isNumber else { continue }
            throw arguments.error(
                "'\(text)' can be read in several ways because digits follow a part without a "
                    + "fixed length. Write two letters, such as dd, or put something between.")
        }
    }

    /// The letter of a part, of which a pattern has one; `nil` for a literal.
    private static func letter(of part: Part) -> Character? {
        switch part {
        case .literal: nil
        case .number(.year, _), .number(.yearOfCentury, _): "y"
        case .number(.month, _), .monthName: "M"
        case .number(.date, _): "d"
        case .number(.hour, _): "H"
        case .number(.hourOfHalf, _): "h"
        case .number(.minute, _): "m"
        case .number(.second, _): "s"
        case .half: "a"
        case .fraction: "S"
        case .offset: "X"
        }
    }

    private static func parts(
        of text: String, _ arguments: ParsedArguments
    ) throws(UsageError) -> [Part] {
        var parts: [Part] = []
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            if first == "'" {
                guard let literal = quoted(&rest) else {
                    throw arguments.error("In '\(text)' a quote isn't closed.")
                }
                parts.append(.literal(Array(literal.utf8)))
            } else if first.isASCII, first.properties.isAlphabetic {
                let letters = String(Substring(rest.prefix { $0 == first }))
                rest.removeFirst(letters.unicodeScalars.count)
                // The number of these letters has no meaning.
                let part: Part? =
                    switch first {
                    case "S": .fraction
                    case "X": .offset
                    default: known[letters]
                    }
                guard let part else {
                    throw unknown(letters, in: text, arguments)
                }
                parts.append(part)
            } else {
                parts.append(.literal(Array(String(Character(first)).utf8)))
                rest.removeFirst()
            }
        }
        return parts
    }

    /// Takes a text in single quotes; `nil` if it has no end.
    private static func quoted(_ rest: inout Substring.UnicodeScalarView) -> String? {
        rest.removeFirst()
        if rest.first == "'" {
            rest.removeFirst()
            return "'"
        }
        var text = ""
        while let scalar = rest.popFirst() {
            if scalar == "'" {
                guard rest.first == "'" else { return text }
                rest.removeFirst()
            }
            text.unicodeScalars.append(scalar)
        }
        return nil
    }

    private static func unknown(
        _ letters: String, in text: String, _ arguments: ParsedArguments
    ) -> UsageError {
        if let meant = NearestWord.suggestion(for: text, among: TimeForm.names) {
            return arguments.error("There is no form of dates '\(text)'. Did you mean \(meant)?")
        }
        return arguments.error(
            "'\(letters)' in '\(text)' is no part of a pattern. There are yyyy, yy, MMMM, MMM, MM, "
                + "M, dd, d, HH, H, hh, h, a, mm, m, ss, s, S and X; other letters stand between "
                + "single quotes. Forms with names are \(TimeForm.names.joined(separator: ", ")).")
    }
}

extension TimePattern {
    /// The parts of a text, by the parts of a pattern.
    private struct Found {
        var numbers: [Field: Int] = [:]
        var isAfternoon = false
        var fraction = ""
        var offset: Int?
    }

    /// Reads a time.
    ///
    /// - Returns: `nil` if the text does not match, or if there is no such time.
    func time(_ scanner: inout TimeScanner) -> CalendarTime? {
        var found = Found()
        for part in parts {
            guard Self.scan(part, &scanner, into: &found) else { return nil }
        }
        let numbers = found.numbers
        guard let year = numbers[.year] ?? numbers[.yearOfCentury].map({ $0 + 2000 }),
            let month = numbers[.month], let date = numbers[.date],
            let day = CalendarDay.day(year: year, month: month, date: date)
        else { return nil }
        var time = CalendarTime(day: day)
        time.offset = found.offset
        guard hasTimeOfDay else { return time }
        let (minute, second) = (numbers[.minute] ?? 0, numbers[.second] ?? 0)
        guard let hour = Self.hour(found), minute < 60, second < 60 else { return nil }
        time.secondOfDay = hour * 3600 + minute * 60 + second
        time.fraction = found.fraction
        return time
    }

    private static func hour(_ found: Found) -> Int? {
        if let hour = found.numbers[.hour] { return hour < 24 ? hour : nil }
        guard let hour = found.numbers[.hourOfHalf], (1...12).contains(hour) else { return nil }
        return hour % 12 + (found.isAfternoon ? 12 : 0)
    }

    private static func scan(
        _ part: Part, _ scanner: inout TimeScanner, into found: inout Found
    ) -> Bool {
        switch part {
        case .literal(let bytes): return scanner.take(bytes)
        case .number(let field, let counts):
            found.numbers[field] = scanner.number(counts)
            return found.numbers[field] != nil
        case .monthName(let isFull):
            let word = scanner.word().lowercased()
            let month = months.firstIndex { isFull ? $0 == word : $0.prefix(3) == word }
            found.numbers[.month] = month.map { $0 + 1 }
            return month != nil
        case .half:
            let word = scanner.word().lowercased()
            found.isAfternoon = word == "pm"
            return word == "am" || word == "pm"
        case .fraction:
            guard let digits = scanner.fraction() else { return false }
            found.fraction = digits
            return true
        case .offset:
            found.offset = scanner.offset()
            return found.offset != nil
        }
    }
}
