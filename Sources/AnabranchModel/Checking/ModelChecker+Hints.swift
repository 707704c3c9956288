/// The part of messages that follows an unknown name.
///
/// The first problems alone get it, because finding the nearest of many names takes long.
extension ModelChecker {
    func hint(forEntity name: String) -> String { hint(for: name, among: entities.map(\.name)) }

    func hint(forAttribute name: String, of position: Int) -> String {
        hint(for: name, of: position) { $0.attributes.map(\.name) }
    }

    /// The hint for a property that is to be in an index.
    func hint(forColumn name: String, of position: Int) -> String {
        hint(for: name, of: position) {
            ($0.attributes.map(\.name) + $0.relationships.map(\.name))
                .filter { index.hasColumn($0, in: position) == true }
        }
    }

    func hint(forInverse name: String, of destination: String) -> String {
        index.position(of: destination).map { position in
            hint(for: name, of: position) { $0.relationships.map(\.name) }
        } ?? ""
    }

    /// The hint for a name that an entity and those above it lack.
    private func hint(
        for name: String, of position: Int, _ names: (EntityDeclaration) -> [String]
    ) -> String {
        hint(for: name, among: index.lineage(of: position).flatMap { names(entities[$0]) })
    }

    private func hint(for name: String, among names: @autoclosure () -> [String]) -> String {
        problems.count < 10 ? NearestWord.hint(for: name, among: names()) : ""
    }
}
