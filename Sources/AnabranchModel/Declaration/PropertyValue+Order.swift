import AnabranchReplication

extension PropertyValue {
    /// Returns true if the value is greater than another value of its case; false without an order.
    func isGreater(than other: PropertyValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left > right
        case (.double(let left), .double(let right)): left > right
        case (.date(let left), .date(let right)): left > right
        case (.decimal(let left), .decimal(let right)): left > right
        default: false
        }
    }
}
