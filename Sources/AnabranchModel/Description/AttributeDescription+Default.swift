package import AnabranchReplication

// The values that an attribute shows where nothing was written. They count neither in a merge nor
// in the canonical hash, so replicas of versions with other defaults keep one state.
extension AttributeDescription {
    /// The value that a record shows if it was written by versions of the model without the
    /// attribute only.
    ///
    /// A counter starts from null, which counts as zero, so a mandatory one shows zero. A part of a
    /// unique key shows null, which equals no other key; but a mandatory one shows its default if
    /// each of its keys has other parts, which tell the records apart.
    package var valueWhenNeverWritten: PropertyValue {
        guard wireProperty.rule == .counter else {
            return isLeftOutOfKeys ? .null : initialValue
        }
        return isOptional ? .null : Counter.zero(of: wireProperty.type)
    }

    /// The value that a record shows if the written value is null, because an earlier version of
    /// the model let the attribute be null.
    ///
    /// A mandatory attribute shows the value that it shows if it was never written. It is not that
    /// of a member of a group, which depends on the other members: see ``GroupDefaults``.
    package var valueWhenNull: PropertyValue { isOptional ? .null : valueWhenNeverWritten }

    /// Returns the value that a record shows.
    ///
    /// - Parameter written: The written value; `nil` if the attribute was never written.
    package func shown(_ written: PropertyValue?) -> PropertyValue {
        guard let written else { return valueWhenNeverWritten }
        return written.isNull ? valueWhenNull : written
    }

    /// The default, also of a group's member or an element; null if the attribute shows none
    /// because it is a part of a unique key.
    var shownDefault: PropertyValue { isLeftOutOfKeys ? .null : defaultValue }

    /// True if the attribute shows no default because it is a part of a unique key. Otherwise all
    /// records without a value would be duplicates of each other.
    private var isLeftOutOfKeys: Bool {
        entity.root.hierarchy.contains { entity in
            entity.ownUniquenessConstraints.contains { key in
                key.contains(self) && (isOptional || key.count == 1)
            }
        }
    }
}
