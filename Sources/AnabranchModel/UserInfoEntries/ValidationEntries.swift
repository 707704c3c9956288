/// The user info entries of a property that hold its validation rules.
///
/// The predicate of the first rule is under `anabranch.validation.1`, and its warning, if it has
/// one, under `anabranch.validation.1.warning`. The rules are in the order of their numbers.
enum ValidationEntries {
    private static let prefix = "anabranch.validation."
    private static let warningSuffix = ".warning"

    /// Reads the rules.
    ///
    /// - Returns: The rules, and the keys that belong to none, sorted by their bytes.
    static func read(
        _ userInfo: [String: String]
    ) -> (rules: [ValidationRule], strayKeys: [String]) {
        let keys = userInfo.keys.filter { $0.hasPrefix(prefix) }
        var taken: Set<String> = []
        let numbers = keys.compactMap { number($0.dropFirst(prefix.count)) }.sorted()
        let rules = numbers.map { number in
            let key = key(of: number)
            taken.formUnion([key, key + warningSuffix])
            return ValidationRule(userInfo[key] ?? "", warning: userInfo[key + warningSuffix] ?? "")
        }
        let stray = keys.filter { !taken.contains($0) }.sorted { $0.precedesByBytes($1) }
        return (rules, stray)
    }

    /// Replaces the entries by those of the rules, unless they hold these rules already.
    static func write(_ rules: [ValidationRule], to userInfo: inout [String: String]) {
        let present = read(userInfo)
        if present.rules == rules, present.strayKeys.isEmpty { return }
        userInfo = userInfo.filter { !$0.key.hasPrefix(prefix) }
        for (place, rule) in rules.enumerated() {
            let key = key(of: place + 1)
            userInfo[key] = rule.predicateFormat
            if !rule.warning.isEmpty { userInfo[key + warningSuffix] = rule.warning }
        }
    }

    private static func key(of number: Int) -> String { prefix + String(number) }

    /// Reads a number from 1 in its one form, without a sign or zeros before it.
    private static func number(_ text: Substring) -> Int? {
        guard let number = Int(text), number > 0, String(number) == text else { return nil }
        return number
    }
}
