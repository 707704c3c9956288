import Anabranch

/// The targets of columns, looked up once for each name.
final class ColumnTargets {
    /// A column that every row has.
    struct Column {
        /// The attribute that the column fills; `nil` if the column is ignored.
        let attribute: AttributeDescription?
        /// True if an earlier column fills the attribute.
        let isRepeated: Bool
    }

    /// The columns that every row has, in their order; `nil` if each row has its own.
    let columns: [Column]?
    private let plan: ImportPlan
    private var known: [String: ImportPlan.Target?] = [:]
    /// An input with more names than this uses data as names; further names are not cached.
    private static let maximumNames = 10_000

    init(_ plan: ImportPlan, _ names: [String]?) {
        self.plan = plan
        var filled: Set<Int> = []
        columns = names?.map { name in
            guard case .attribute(let attribute)? = plan.target(ofColumn: name) else {
                return Column(attribute: nil, isRepeated: false)
            }
            let isNew = filled.insert(attribute.slot).inserted
            return Column(attribute: attribute, isRepeated: !isNew)
        }
    }

    subscript(name: String) -> ImportPlan.Target? {
        if let target = known[name] { return target }
        let target = plan.target(ofColumn: name)
        if known.count < Self.maximumNames { known[name] = .some(target) }
        return target
    }
}
