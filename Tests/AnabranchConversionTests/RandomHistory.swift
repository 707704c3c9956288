import Foundation
import TestSupport

/// The rows that an app with Core Data's history has left behind, and the history of its saves.
///
/// The app inserts, changes, relates and deletes objects of ``MadeSource``'s model at random. The
/// first saves are older than the history, as after a purge.
struct RandomHistory {
    /// An object, by the number of its entity and its primary key.
    struct Name: Hashable, Comparable {
        let entity: Int
        let key: Int

        static func < (left: Name, right: Name) -> Bool {
            (left.entity, left.key) < (right.entity, right.key)
        }
    }

    /// A save of the app.
    struct Save {
        let author: String
        /// Milliseconds since 2001.
        let time: Int
        var inserted: [Name] = []
        var updated: Set<Name> = []
        var deleted: [Name] = []
    }

    private(set) var saves: [Save] = []
    /// The number of saves that are older than the history.
    let forgottenCount: Int
    private var random: SeededGenerator
    private var texts: [Name: Int] = [:]
    /// The thing and the order of each note.
    private var notes: [Int: (thing: Name, order: Int)] = [:]
    /// The thing of each card.
    private var cards: [Int: Name] = [:]
    /// The orders of a tag in a thing's list, and of the thing in the tag's.
    private var tags: [Link: (inThing: Int, inTag: Int)] = [:]
    /// The smaller key is first.
    private var peers: Set<Peers> = []
    private var nextKeys = [1: 1, 2: 1, 3: 1, 4: 3]

    private struct Link: Hashable {
        let tag: Int
        let thing: Name
    }

    private struct Peers: Hashable {
        let first: Int
        let second: Int
    }

    private static let (card, note, tag, part, tool) = (1, 2, 3, 5, 6)

    init(seed: UInt64, saveCount: Int = 25) {
        random = SeededGenerator(seed: seed)
        forgottenCount = Int.random(in: 0...3, using: &random)
        // Rows that MadeSource has from the beginning.
        texts = [Name(entity: Self.part, key: 1): 0, Name(entity: Self.tool, key: 2): 0]
        for number in 0..<saveCount {
            saves.append(
                Save(
                    author: ["app", "widget", "import"].randomElement(using: &random) ?? "",
                    time: 1_000_000 + number / 2 * 1500))
            for _ in 0..<Int.random(in: 1...6, using: &random) { change() }
        }
    }

    private mutating func change() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: insert()
        case 4: if let name = texts.keys.sorted().randomElement(using: &random) { edit(name) }
        case 5: moveNote()
        case 6: moveCard()
        case 7: link()
        case 8: befriend()
        default: if let name = texts.keys.sorted().randomElement(using: &random) { delete(name) }
        }
    }

    private mutating func pick(_ entities: Int...) -> Name? {
        texts.keys.filter { entities.contains($0.entity) }.sorted().randomElement(using: &random)
    }

    private mutating func touch(_ names: Name...) {
        for name in names where !saves[saves.count - 1].inserted.contains(name) {
            saves[saves.count - 1].updated.insert(name)
        }
    }

    private mutating func insert() {
        let entity =
            [Self.card, Self.note, Self.tag, Self.part, Self.tool]
            .randomElement(using: &random) ?? Self.part
        let table = entity >= Self.part ? 4 : entity
        let key = nextKeys[table] ?? 1
        nextKeys[table] = key + 1
        let name = Name(entity: entity, key: key)
        texts[name] = Int.random(in: 0..<1000, using: &random)
        saves[saves.count - 1].inserted.append(name)
    }

    private mutating func edit(_ name: Name) {
        texts[name] = Int.random(in: 0..<1000, using: &random)
        touch(name)
    }

    private mutating func moveNote() {
        guard let note = pick(Self.note), let thing = pick(Self.part, Self.tool) else { return }
        notes[note.key] = (thing, Int.random(in: 0..<1_000_000, using: &random))
        touch(note, thing)
    }

    private mutating func moveCard() {
        guard let card = pick(Self.card), let thing = pick(Self.part, Self.tool) else { return }
        for (other, owner) in cards where owner == thing { cards[other] = nil }
        cards[card.key] = thing
        touch(card, thing)
    }

    private mutating func link() {
        guard let tag = pick(Self.tag), let thing = pick(Self.part, Self.tool) else { return }
        tags[Link(tag: tag.key, thing: thing)] = (
            Int.random(in: 0..<1_000_000, using: &random),
            Int.random(in: 0..<1_000_000, using: &random)
        )
        touch(tag, thing)
    }

    private mutating func befriend() {
        guard let tag = pick(Self.tag), let other = pick(Self.tag) else { return }
        peers.insert(Peers(first: min(tag.key, other.key), second: max(tag.key, other.key)))
        touch(tag, other)
    }

    private mutating func delete(_ name: Name) {
        texts[name] = nil
        switch name.entity {
        case Self.card: cards[name.key] = nil
        case Self.note: notes[name.key] = nil
        case Self.tag:
            tags = tags.filter { $0.key.tag != name.key }
            peers = peers.filter { $0.first != name.key && $0.second != name.key }
        default:
            for (note, place) in notes where place.thing == name {
                delete(Name(entity: 2, key: note))
            }
            cards = cards.filter { $0.value != name }
            tags = tags.filter { $0.key.thing != name }
        }
        let last = saves.count - 1
        saves[last].updated.remove(name)
        if let place = saves[last].inserted.firstIndex(of: name) {
            saves[last].inserted.remove(at: place)
        } else {
            saves[last].deleted.append(name)
        }
    }

    // MARK: - What is left

    /// The objects that are there.
    var names: [Name] { texts.keys.sorted() }

    /// The saves that the history has.
    var remembered: ArraySlice<Save> { saves.dropFirst(forgottenCount) }

    /// The rows as SQL, after those of ``MadeSource``.
    var rows: String {
        var lines = ["DELETE FROM ZTHING"]
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            lines.append(row(name, text))
        }
        for (link, orders) in tags {
            lines.append(
                "INSERT INTO Z_3THINGS (Z_3TAGS, Z_4THINGS, Z_FOK_3TAGS, Z_FOK_4THINGS) VALUES "
                    + "(\(link.tag), \(link.thing.key), \(orders.inThing), \(orders.inTag))")
        }
        for pair in peers {
            lines.append("INSERT INTO Z_3PEERS VALUES (\(pair.first), \(pair.second))")
            if pair.first != pair.second {
                lines.append("INSERT INTO Z_3PEERS VALUES (\(pair.second), \(pair.first))")
            }
        }
        return lines.joined(separator: ";\n") + ";\n"
    }

    private func row(_ name: Name, _ text: Int) -> String {
        let key = name.key
        switch name.entity {
        case Self.card:
            let thing = cards[key].map { "\($0.key), \($0.entity)" } ?? "NULL, NULL"
            return "INSERT INTO ZCARD (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZTHING, Z4_THING) VALUES "
                + "(\(key), 1, 1, \(text), \(thing))"
        case Self.note:
            let place = notes[key].map { "\($0.thing.key), \($0.order)" } ?? "NULL, NULL"
            return "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZMADE, ZTHING, Z_FOK_THING) VALUES "
                + "(\(key), 2, 1, \(text).5, \(place))"
        case Self.tag:
            return "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZISHIDDEN) VALUES "
                + "(\(key), 3, 1, \(text % 2))"
        default:
            let column = name.entity == Self.part ? "ZTEXT" : "ZTEXT1"
            let card = cards.first { $0.value == name }.map { "\($0.key)" } ?? "NULL"
            return "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTITLE, \(column), ZCARD) VALUES "
                + "(\(key), \(name.entity), 1, 'thing', 'text \(text)', \(card))"
        }
    }

    /// The tables of the history as SQL.
    var history: String {
        var lines = [
            HistoryTables.creation,
            "INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'app'), "
                + "(2, 16003, NULL, 'widget'), (3, 16003, NULL, 'import'), "
                + "(4, 16003, NULL, 'a context')",
        ]
        let authors = ["app": 1, "widget": 2, "import": 3]
        for (place, save) in remembered.enumerated() {
            let number = 10 + place * 3
            lines.append(
                "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZCONTEXTNAMETS, ZTIMESTAMP) "
                    + "VALUES (\(number), 16002, \(authors[save.author] ?? 0), 4, "
                    + "\(Double(save.time) / 1000))")
            for (kind, names) in [save.inserted, save.updated.sorted(), save.deleted].enumerated() {
                for name in names {
                    lines.append(
                        "INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, "
                            + "ZTRANSACTIONID, ZCOLUMNS) VALUES (16001, \(kind), \(name.entity), "
                            + "\(name.key), \(number), \(kind == 1 ? "x'01'" : "NULL"))")
                }
            }
        }
        return lines.joined(separator: ";\n") + ";\n"
    }
}

/// The tables of a history, as Core Data creates them.
enum HistoryTables {
    static let creation = """
        CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
            ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
            ZCOLUMNS BLOB);
        CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
            ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER,
            ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
            ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
        CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
            ZNAME VARCHAR)
        """
}
