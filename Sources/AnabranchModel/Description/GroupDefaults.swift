package import AnabranchReplication

/// The rule by which the members of one attribute group show their defaults.
///
/// A member shows its default if the written value does not contain it, because versions of the
/// model without the member have written the value. A mandatory member shows it also in place of
/// null.
///
/// The elements of a composite attribute show defaults only if it exists: it is mandatory, or one
/// of its elements has a value. If a mandatory one has no value at all, it shows the defaults of
/// all its elements. One inside another one exists only if the outer one does.
package struct GroupDefaults: Hashable, Sendable {
    /// A composite attribute, or one inside of it.
    private struct Composite: Hashable {
        let isOptional: Bool
        /// The index of the composite attribute that contains it; `nil` for the outermost one.
        let outer: Int?
        /// The indices of the members among its elements, at every depth.
        var members: [Int] = []
    }

    private struct Member: Hashable {
        let defaultValue: PropertyValue
        let isMandatory: Bool
        /// The index of the composite attribute directly around it; `nil` if there is none.
        let composite: Int?
    }

    /// The outermost composite attribute, then those inside of it, each before its own inner ones.
    private var composites: [Composite] = []
    private let members: [Member]
    /// True if a member has a default.
    package let isNeeded: Bool
    /// True if no member shows a default as long as the group was never written, in this and in
    /// every other version of the model in which the composite attribute may be without a value.
    package var areHiddenWhenNeverWritten: Bool { composites.first?.isOptional ?? false }

    /// - Parameter members: The members in the order of the group's value.
    init(_ members: [AttributeDescription], of composite: CompositeAttribute?) {
        var found: [WireName: (composite: Int, isMandatory: Bool)] = [:]
        var composites: [Composite] = []
        func add(_ composite: CompositeAttribute, _ path: String, outer: Int?) {
            let index = composites.count
            let name = path + composite.name
            composites.append(Composite(isOptional: composite.isOptional, outer: outer))
            for element in composite.attributes {
                found[WireName("\(name).\(element.name)")] = (index, !element.isOptional)
            }
            for inner in composite.compositeAttributes { add(inner, name + ".", outer: index) }
        }
        if let composite { add(composite, "", outer: nil) }
        self.members = members.map { attribute in
            let place = found[WireName(attribute.name)]
            return Member(
                defaultValue: attribute.defaultValue,
                isMandatory: place?.isMandatory ?? !attribute.isOptional,
                composite: place?.composite)
        }
        for (member, attribute) in members.enumerated() {
            var next = found[WireName(attribute.name)]?.composite
            while let index = next {
                composites[index].members.append(member)
                next = composites[index].outer
            }
        }
        self.composites = composites
        isNeeded = members.contains { !$0.defaultValue.isNull }
    }

    /// Returns the members that show their defaults.
    ///
    /// - Parameter written: The written value of each member; `nil` for one that the group's value
    ///   does not contain.
    fileprivate func shown(inPlaceOf written: [PropertyValue?]) -> [Bool] {
        let isEmpty = composites.map { composite in
            composite.members.allSatisfy { written[$0]?.isNull ?? true }
        }
        var exists: [Bool] = []
        for (composite, isEmpty) in zip(composites, isEmpty) {
            exists.append(
                (composite.outer.map { exists[$0] } ?? true)
                    && (!composite.isOptional || !isEmpty))
        }
        return zip(members, written).map { member, value in
            guard value?.isNull ?? true, member.composite.map({ exists[$0] }) ?? true else {
                return false
            }
            return value == nil || member.isMandatory
                || (member.composite.map { isEmpty[$0] } ?? false)
        }
    }
}

extension AttributeGroupDescription {
    /// The members' values in a value of the group, in the members' order.
    ///
    /// A member that the value does not have, because a version of the model without it wrote the
    /// value, reads its default, and so does a mandatory member that is null. A composite attribute
    /// without a value stays without one: all its elements read null, unless it is mandatory.
    ///
    /// - Parameter value: The value; `nil` for a group that was never written.
    package func values(in value: PropertyValue?) -> [PropertyValue] {
        let written = written(in: value)
        guard defaults.isNeeded else { return written.map { $0 ?? .null } }
        return zip(zip(members, written), defaults.shown(inPlaceOf: written)).map { pair, isShown in
            isShown ? pair.0.attribute.shownDefault : pair.1 ?? .null
        }
    }

    /// Returns true if the members show what the value contains, and nothing in place of null.
    package func showsAll(of values: [PropertyValue]) -> Bool {
        guard defaults.isNeeded, values.contains(where: \.isNull) else { return true }
        return zip(members, defaults.shown(inPlaceOf: values)).allSatisfy { member, isShown in
            !isShown || member.attribute.shownDefault.isNull
        }
    }

    private func written(in value: PropertyValue?) -> [PropertyValue?] {
        switch value {
        case .group(let group): members.map { group[$0.name, $0.type] }
        case nil: members.map { _ in nil }
        default: members.map { _ in .null }
        }
    }
}
