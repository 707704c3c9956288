import AnabranchModel
import AnabranchReplication
import Foundation
import TestSupport

/// Random declarations that are valid models, with texts that are hard to write.
struct RandomDeclarations {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> ModelDeclaration {
        let names = (0..<Int.random(in: 1...6, using: &random)).map { "E\($0)" }
        var entities = names.enumerated().map { place, name in
            entity(name, parent: chance(3) ? names[..<place].randomElement(using: &random) : nil)
        }
        for pair in 0..<Int.random(in: 0...8, using: &random) { relate(&entities, pair) }
        return ModelDeclaration(
            entities: entities.shuffled(using: &random),
            versionIdentifier: chance(2) ? text() : nil)
    }

    private mutating func entity(_ name: String, parent: String?) -> EntityDeclaration {
        var entity = EntityDeclaration(name, parent: parent)
        entity.isAbstract = chance(4)
        entity.deletePolicy = chance(4) ? .updateWins : .deleteWins
        entity.wireName = chance(3) ? text() + name : nil
        entity.renamingIdentifier = chance(4) ? "Old" + name : nil
        entity.versionHashModifier = chance(4) ? text() : nil
        entity.userInfo = userInfo()
        entity.attributes = (0..<Int.random(in: 0...6, using: &random)).map {
            attribute("\(name)a\($0)")
        }
        for place in 0..<Int.random(in: 0...2, using: &random) {
            entity.compositeAttributes.append(composite("\(name)c\(place)"))
        }
        for attribute in entity.attributes where !attribute.isTransient {
            if chance(4) {
                entity.uniquenessConstraints.append(UniquenessConstraint(attribute.name))
            }
            if chance(4) {
                let element = IndexDeclaration.Element(attribute.name, ascending: chance(2))
                entity.indexes.append(
                    IndexDeclaration(text() + attribute.name, elements: [element]))
            }
        }
        let members = entity.attributes.filter { !$0.isTransient && $0.mergeRule == .lastWriter }
        if members.count > 1, chance(2) {
            let group = AttributeGroup(text() + name, attributes: members.map(\.name))
            entity.attributeGroups = [group]
        }
        return entity
    }

    private mutating func composite(_ name: String) -> CompositeAttribute {
        var composite = CompositeAttribute(
            name, of: name + "Type", optional: chance(2), transient: chance(5),
            wireName: chance(4) ? text() + name : nil,
            renamingIdentifier: chance(4) ? "old" + name : nil,
            versionHashModifier: chance(4) ? text() : nil, userInfo: userInfo())
        for place in 0..<Int.random(in: 1...3, using: &random) {
            var attribute = attribute("\(name)a\(place)")
            attribute.isTransient = attribute.type == .undefined
            if attribute.isTransient { composite.isTransient = true }
            attribute.mergeRule = .lastWriter
            // A transient attribute around it would make it transient.
            attribute.search = nil
            composite.attributes.append(attribute)
        }
        if chance(3) { composite.compositeAttributes.append(self.composite(name + "c")) }
        if composite.compositeAttributes.contains(where: \.isTransient) {
            composite.isTransient = true
        }
        return composite
    }

    private mutating func attribute(_ name: String) -> AttributeDeclaration {
        let type = AttributeType.allCases.randomElement(using: &random) ?? .string
        var attribute = AttributeDeclaration(name, type)
        attribute.isOptional = chance(2)
        attribute.isTransient = type == .undefined || chance(8)
        if type != .transformable, chance(2) { attribute.defaultValue = value(of: type) }
        if type == .string, chance(3) {
            attribute.maximum = .integer(.random(in: 0...99, using: &random))
        }
        if type.isNumeric, chance(3) { attribute.minimum = value(of: type) }
        if !attribute.isTransient, [.integer64, .decimal].contains(type), chance(3) {
            attribute.mergeRule = .counter
        }
        if type == .string, chance(3) {
            attribute.validations = [
                ValidationRule("SELF != \"\(chance(2) ? "<&>" : "x")\"", warning: text()),
                ValidationRule("length > 1"),
            ]
        }
        if type == .transformable, chance(2) { attribute.valueTransformerName = text() }
        attribute.wireName = chance(4) ? text() + name : nil
        attribute.renamingIdentifier = chance(4) ? "old" + name : nil
        attribute.preservesValueInHistoryOnDeletion = chance(4)
        attribute.allowsExternalBinaryDataStorage = chance(4)
        attribute.userInfo = userInfo()
        if type == .string, !attribute.isTransient, chance(3) {
            attribute.search = TextSearch(prefixLengths: chance(2) ? [] : [3, 2])
        }
        return attribute
    }

    /// Adds a pair of inverses, or a relationship without an inverse.
    private mutating func relate(_ entities: inout [EntityDeclaration], _ pair: Int) {
        let (left, right) = (
            entities.indices.randomElement(using: &random) ?? 0,
            entities.indices.randomElement(using: &random) ?? 0
        )
        let (there, back) = ("r\(pair)", "s\(pair)")
        let hasInverse = chance(2)
        let isTransient = chance(5)
        func add(_ relationship: RelationshipDeclaration, to entity: Int) {
            var relationship = relationship
            relationship.isTransient = isTransient
            entities[entity].relationships.append(relationship)
        }
        add(
            relationship(there, to: entities[right].name, inverse: hasInverse ? back : nil),
            to: left)
        guard hasInverse else { return }
        add(relationship(back, to: entities[left].name, inverse: there), to: right)
    }

    private mutating func relationship(
        _ name: String, to destination: String, inverse: String?
    ) -> RelationshipDeclaration {
        var relationship =
            chance(2)
            ? RelationshipDeclaration(name, to: destination, inverse: inverse)
            : RelationshipDeclaration(
                name, toMany: destination, ordered: chance(2), maxCount: chance(2) ? 9 : nil,
                inverse: inverse)
        relationship.isOptional = chance(2)
        relationship.minCount = chance(3) ? 1 : 0
        relationship.deleteRule = DeleteRule.allCases.randomElement(using: &random) ?? .nullify
        relationship.wireName = chance(4) ? text() + name : nil
        relationship.userInfo = userInfo()
        return relationship
    }

    private mutating func value(of type: AttributeType) -> PropertyValue {
        switch type {
        case .boolean: .bool(chance(2))
        case .integer16: .integer(.random(in: -32768...32767, using: &random))
        case .integer32: .integer(.random(in: -2_147_483_648...2_147_483_647, using: &random))
        case .integer64: .integer(.random(in: .min ... .max, using: &random))
        case .decimal:
            .decimal(
                ExactDecimal("\(Double.random(in: -9...9, using: &random))") ?? ExactDecimal(0))
        case .double: .double(Double(bitPattern: .random(in: 0...(1 << 62), using: &random)))
        case .float: .double(Double(Float.random(in: -9...9, using: &random)))
        case .date: .date(.random(in: -1e9...1e9, using: &random))
        case .binary: .data(Data(text().utf8))
        case .uuid: .uuid(UUID(uuid: random.uuid()))
        case .uri: .uri(text())
        case .string, .undefined, .transformable: .string(text())
        }
    }

    private mutating func userInfo() -> [String: String] {
        chance(3) ? [text(): text(), "k": ""] : [:]
    }

    private mutating func text() -> String {
        let pieces = [
            "a", "&amp;", "<b>", "\"", "'", "\n", "\r", "\t", "é", "e\u{301}", "汉", "🦋", " ",
        ]
        return (0..<Int.random(in: 1...5, using: &random))
            .map { _ in pieces.randomElement(using: &random) ?? "a" }.joined()
    }

    private mutating func chance(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }
}

extension SeededGenerator {
    fileprivate mutating func uuid() -> uuid_t {
        func byte() -> UInt8 { UInt8.random(in: 0...255, using: &self) }
        return (
            byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(),
            byte(), byte(), byte(), byte(), byte()
        )
    }
}
