/// Texts of numbers with their units.
enum Quantity {
    static func text(_ count: some BinaryInteger, _ singular: String) -> String {
        "\(count) \(singular)\(count == 1 ? "" : "s")"
    }

    /// The size in the largest suitable unit: `1.5 MiB`.
    static func bytes(_ count: some BinaryInteger) -> String {
        var number = Double(count)
        var unit = 0
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        while number >= 1024, unit < units.count - 1 {
            number /= 1024
            unit += 1
        }
        if unit == 0 { return "\(count) bytes" }
        return "\((number * 10).rounded() / 10) \(units[unit])"
    }
}
