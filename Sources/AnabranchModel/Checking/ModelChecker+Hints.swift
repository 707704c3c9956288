/// The part of messages that follows an unknown name.
///
/// The first problems alone get it, because finding the nearest of many names takes long.
extension ModelChecker {
    private var givesHints: Bool { problems.count < 10 }

    func hint(forEntity name: String) -> String {
        givesHints ? NearestWord.hint(for: name, among: entities.map(\.name)) : ""
    }

    func hint(forAttribute name: String, of position: Int) -> String {
        guard givesHints else { return "" }
        let lineage = index.lineage(of: position)
        let names = lineage.flatMap { entities[$0].attributes.map(\.name) }
        return NearestWord.hint(for: name, among: names)
    }

    func hint(forInverse name: String, of destination: String) -> String {
        guard givesHints, let position = index.position(of: destination) else { return "" }
        let lineage = index.lineage(of: position)
        let names = lineage.flatMap { entities[$0].relationships.map(\.name) }
        return NearestWord.hint(for: name, among: names)
    }
}
