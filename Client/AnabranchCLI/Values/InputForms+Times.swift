import Anabranch

extension InputForms {
    /// Reads a time.
    ///
    /// - Parameter number: The text with a decimal point; `nil` if it is no number.
    func time(
        _ text: String, number: String?, _ form: TimeForm
    ) throws(ValueRefusal) -> InputValue {
        let written: String? = if case .count = form { number } else { text }
        switch written.flatMap({ form.time(of: $0) }) {
        case .moment(let seconds): return InputValue(value: .date(seconds))
        case .calendar(let time):
            if let offset = time.offset {
                return InputValue(value: .date(time.moment(at: offset)))
            }
            guard let zone else {
                return InputValue(value: .date(time.moment(at: 0)), isZoneAssumed: true)
            }
            return try InputValue(value: .date(time.moment(at: offset(of: time, text, zone))))
        case nil: throw refusal(ofTime: text, form)
        }
    }

    private func offset(
        of time: CalendarTime, _ text: String, _ zone: LocalZone
    ) throws(ValueRefusal) -> Int {
        switch zone.offset(of: time) {
        case .known(let offset): return offset
        case .missing:
            throw ValueRefusal(
                message: "'\(ValueCheck.shown(text))' does not exist in \(zone.name) because "
                    + "clocks were moved forward over it.")
        case .twice:
            throw ValueRefusal(
                message: "'\(ValueCheck.shown(text))' was there twice in \(zone.name) because "
                    + "clocks were moved back over it. Write it with an offset, such as +02:00.")
        }
    }

    private func refusal(ofTime text: String, _ form: TimeForm) -> ValueRefusal {
        let shown = "'\(ValueCheck.shown(text))'"
        switch form {
        case .iso8601:
            let hint =
                ExactDecimal(text) == nil
                ? "Type --dates PATTERN for another form, such as --dates dd.MM.yyyy."
                : "If it counts seconds or milliseconds, type --dates seconds-since-1970, "
                    + "seconds-since-2001 or milliseconds-since-1970."
            return ValueRefusal(message: "\(shown) is not \(ValueText.form(of: .date)). \(hint)")
        case .count(let count):
            return ValueRefusal(
                message: "\(shown) is not a number of \(count.words) within the years 1 to 9999.")
        case .pattern(let pattern):
            return ValueRefusal(message: "\(shown) is not a time in the form \(pattern.text).")
        }
    }

    /// The advice for a text that is a number in another form; empty if there is none to give.
    func hint(_ text: String, _ type: AttributeType) -> String {
        guard type.isNumeric, numbers == nil else { return "" }
        func isRead(by form: NumberForm) -> Bool {
            form.canonical(text).map { ValueText.read($0, as: type) != nil } ?? false
        }
        return switch (isRead(by: .comma), isRead(by: .point)) {
        case (true, true):
            " Type --decimal , if the comma is its decimal separator, or --decimal . if the comma "
                + "groups its digits."
        case (true, false): " If it is a number with a decimal comma, type --decimal ,"
        case (false, true): " If it is a number with groups of digits, type --decimal ."
        case (false, false): ""
        }
    }
}
