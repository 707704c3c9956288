import AnabranchModel
import AnabranchReplication

/// A model that is made for a predicate: its key paths tell the properties, and what they are
/// compared with tells their types.
final class InferredModel {
    /// What a key path or a value is, as far as the predicate tells it.
    private enum Kind {
        case object(Node)
        case property(Property)
        case value(AttributeType)
        case unknown
    }

    private final class Node {
        let name: String
        var properties: [String: Property] = [:]
        init(_ name: String) { self.name = name }
    }

    private final class Property {
        var type: AttributeType?
        var target: Node?
        var isToMany = false
        var isOrdered = false
        /// The properties with the same type as this one.
        var peers: [Property] = []

        func take(_ type: AttributeType) {
            guard self.type == nil, target == nil else { return }
            self.type = type
            for peer in peers { peer.take(type) }
        }
    }

    private var nodes: [Node] = []
    private let root: Node
    private var variables: [String: Node] = [:]

    /// - Parameter predicate: The predicate, which may have no variables but those of SUBQUERY.
    init(_ predicate: FetchPredicate) {
        root = Node("Root")
        nodes = [root]
        visit(predicate)
    }

    /// The model, and the entity of the objects that the predicate is about.
    func made() throws -> EntityDescription? {
        let model = try ManagedObjectModel {
            for node in nodes { entity(of: node) }
        }
        return model.entity(named: root.name)
    }

    private func entity(of node: Node) -> EntityDeclaration {
        let inverses = nodes.flatMap { owner in
            owner.properties.filter { $0.value.target === node }.map { (owner, $0.key, $0.value) }
        }
        return EntityDeclaration(node.name) {
            for (key, property) in node.properties.sorted(by: { $0.key < $1.key }) {
                if let target = property.target {
                    let inverse = "inverseOf_\(node.name)_\(key)"
                    if property.isToMany {
                        RelationshipDeclaration(
                            key, toMany: target.name, ordered: property.isOrdered, inverse: inverse)
                    } else {
                        RelationshipDeclaration(key, to: target.name, inverse: inverse)
                    }
                } else {
                    AttributeDeclaration(key, property.type ?? .string)
                }
            }
            for (owner, key, _) in inverses {
                RelationshipDeclaration(
                    "inverseOf_\(owner.name)_\(key)", toMany: owner.name, inverse: key)
            }
        }
    }

    // MARK: Predicates

    private func visit(_ predicate: FetchPredicate) {
        switch predicate {
        case .constant: break
        case .conjunction(let parts), .disjunction(let parts): visitInOrder(parts)
        case .negation(let inner): visit(inner)
        case .comparison(let comparison): visit(comparison)
        }
    }

    private func visit(_ comparison: PredicateComparison) {
        let isQuantified = comparison.quantifier != nil
        let left = kind(of: comparison.left, isToMany: isQuantified)
        let right = kind(of: comparison.right)
        switch comparison.operator {
        case .beginsWith, .endsWith, .like, .matches:
            take(.string, left)
            take(.string, right)
        default: equate(left, right)
        }
    }

    /// Visits the comparisons with texts first, which leave no choice of the type.
    private func visitInOrder(_ parts: [FetchPredicate]) {
        func isOfText(_ part: FetchPredicate) -> Bool {
            guard case .comparison(let comparison) = part else { return false }
            return [.beginsWith, .endsWith, .like, .matches].contains(comparison.operator)
        }
        for part in parts where isOfText(part) { visit(part) }
        for part in parts where !isOfText(part) { visit(part) }
    }

    private func take(_ type: AttributeType, _ kind: Kind) {
        if case .property(let property) = kind { property.take(type) }
    }

    private func equate(_ left: Kind, _ right: Kind) {
        switch (left, right) {
        case (.property(let own), .property(let other)):
            own.peers.append(other)
            other.peers.append(own)
            if let type = own.type { other.take(type) }
            if let type = other.type { own.take(type) }
        case (.property(let property), .value(let type)),
            (.value(let type), .property(let property)):
            property.take(type)
        default: break
        }
    }

    // MARK: Expressions

    private func kind(of expression: FetchExpression, isToMany: Bool = false) -> Kind {
        switch expression.form {
        case .constant(let constant): return kind(of: constant)
        case .evaluatedObject: return .object(root)
        case .variable(let name): return variables[name].map { .object($0) } ?? .unknown
        case .path(let origin, let steps):
            let start = origin.map { kind(of: $0) } ?? .object(root)
            return follow(steps, from: start, isToMany: isToMany)
        case .aggregate(let elements):
            let kinds = elements.map { kind(of: $0) }
            for kind in kinds.dropFirst() { equate(kinds[0], kind) }
            return kinds.first ?? .unknown
        case .arithmetic(let sign, let left, let right):
            let kinds = [kind(of: left), kind(of: right)]
            guard ![.union, .intersection, .difference].contains(sign) else { return kinds[0] }
            for kind in kinds { take(.integer64, kind) }
            return .value(.integer64)
        case .negative(let operand), .complement(let operand):
            take(.integer64, kind(of: operand))
            return .value(.integer64)
        case .function(let name, let arguments): return function(name, arguments)
        case .message(let target, _, let arguments):
            _ = ([target] + arguments).map { kind(of: $0) }
            return .unknown
        case .subquery(let collection, let variable, let filter):
            guard let node = collectionNode(kind(of: collection)) else { return .unknown }
            let hidden = variables[variable]
            variables[variable] = node
            visit(filter)
            variables[variable] = hidden
            return .object(node)
        case .cast(let operand, let type):
            _ = kind(of: operand)
            return type == "NSString" ? .value(.string) : .value(.double)
        case .ternary(let condition, let first, let second):
            visit(condition)
            let kinds = (kind(of: first), kind(of: second))
            equate(kinds.0, kinds.1)
            if case .unknown = kinds.0 { return kinds.1 }
            return kinds.0
        case .fetch, .assignment: return .unknown
        }
    }

    private func kind(of constant: PredicateConstant) -> Kind {
        switch constant {
        case .value(let value):
            switch value {
            case .bool, .integer: .value(.integer64)
            case .double: .value(.double)
            case .decimal: .value(.decimal)
            case .string, .uri: .value(.string)
            case .date: .value(.date)
            case .uuid: .value(.uuid)
            case .data: .value(.binary)
            default: .unknown
            }
        case .collection(let elements): elements.first.map { kind(of: $0) } ?? .unknown
        case .object, .fetch: .unknown
        }
    }

    private func function(_ name: String, _ arguments: [FetchExpression]) -> Kind {
        let texts: Set = ["uppercase", "lowercase", "length", "canonical"]
        for argument in arguments {
            take(texts.contains(name) ? .string : .double, kind(of: argument))
        }
        if name == "now" { return .value(.date) }
        return texts.contains(name) && name != "length" ? .value(.string) : .value(.double)
    }

    // MARK: Key paths

    private func collectionNode(_ kind: Kind) -> Node? {
        switch kind {
        case .object(let node): return node
        case .property(let property):
            property.isToMany = true
            return target(of: property)
        case .value, .unknown: return nil
        }
    }

    private func target(of property: Property) -> Node {
        if let target = property.target { return target }
        let node = Node("Entity\(nodes.count)")
        nodes.append(node)
        property.target = node
        property.type = nil
        return node
    }

    private func follow(_ steps: [PathStep], from start: Kind, isToMany: Bool) -> Kind {
        var current = start
        var isToMany = isToMany
        for (place, step) in steps.enumerated() {
            switch step {
            case .key("length") where place > 0 && place == steps.count - 1:
                take(.string, current)
                return .value(.integer64)
            case .key(let key):
                let node: Node
                switch current {
                case .object(let known): node = known
                case .property(let property): node = target(of: property)
                case .value, .unknown: return .unknown
                }
                let property = node.properties[key] ?? Property()
                node.properties[key] = property
                if isToMany, property.target == nil {
                    // The first step of a quantified path is the collection.
                    property.isToMany = true
                    _ = target(of: property)
                    isToMany = false
                }
                current = .property(property)
            case .collectionOperator(let name):
                guard let node = collectionNode(current) else { return .unknown }
                if name == "count" {
                    current = .value(.integer64)
                } else if ["sum", "avg", "min", "max"].contains(name) {
                    let end = follow(
                        Array(steps[(place + 1)...]), from: .object(node), isToMany: false)
                    take(.double, end)
                    return .value(.double)
                } else {
                    current = .object(node)
                }
            case .size:
                _ = collectionNode(current)
                if case .property(let property) = current { property.isOrdered = true }
                current = .value(.integer64)
            case .first, .last, .index:
                guard let node = collectionNode(current) else { return .unknown }
                if case .property(let property) = current { property.isOrdered = true }
                current = .object(node)
            }
        }
        return current
    }
}
