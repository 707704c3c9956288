import AnabranchServer

/// The command `anabranchd zone limit`.
enum ZoneLimitCommand {
    /// The options that set a quota, with the quantity of each.
    static let options = Dictionary(
        uniqueKeysWithValues: ZoneQuotas.Quantity.allCases.map { ($0.rawValue, $0) })

    /// Sets the quotas that the options name, and prints all of them.
    static func run(_ options: CommandOptions, on zone: ZoneService) throws {
        var quotas = try zone.quotas()
        let before = quotas
        for quantity in ZoneQuotas.Quantity.allCases {
            guard let text = options[quantity.rawValue] else { continue }
            quotas[quantity] = try limit(text, options, quantity)
        }
        if quotas != before { try zone.setQuotas(quotas) }
        let amounts = try zone.amounts()
        for quantity in ZoneQuotas.Quantity.allCases {
            let name = quantity.rawValue
            let padding = String(repeating: " ", count: 13 - name.count)
            let used = amounts[quantity] ?? 0
            print("\(name)\(padding)\(used) of \(words(for: quotas[quantity]))")
        }
    }

    private static func limit(
        _ text: String, _ options: CommandOptions, _ quantity: ZoneQuotas.Quantity
    ) throws -> ZoneQuotas.Limit {
        switch text {
        case "none": return .unlimited
        case "default": return .standard
        default:
            guard let amount = Int64(text), amount >= 0 else {
                throw options.usage(
                    "The option --\(quantity.rawValue) takes a number, none or default, not "
                        + "\"\(text)\".")
            }
            return .most(amount)
        }
    }

    private static func words(for limit: ZoneQuotas.Limit) -> String {
        switch limit {
        case .standard: "the daemon's default"
        case .unlimited: "any number"
        case .most(let amount): "\(amount)"
        }
    }
}
