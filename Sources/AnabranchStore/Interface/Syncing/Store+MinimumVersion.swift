import AnabranchReplication

extension Store {
    /// The least version of the app that the zone's apps ask for; `nil` if none is set.
    package func minimumVersion() throws -> Int64? {
        try read { try ZoneSettingRows(connection: $0.connection).greatest(.minimumVersion) }
    }

    /// Raises the least version of the app that may sync with the zone, as a save that is pushed
    /// like every other one.
    ///
    /// - Returns: Whether something was saved: the version is not the present one.
    /// - Throws: `cannotWin` if the version is below the present one, or not positive.
    @discardableResult
    package func raiseMinimumVersion(to version: Int64, author: String) throws -> Bool {
        try write { transaction in
            let present = try ZoneSettingRows(connection: transaction.connection)
                .greatest(.minimumVersion)
            guard version > 0, version >= present ?? 0 else {
                throw StoreError(
                    .cannotWin,
                    "Can't set the minimum version \(version) because "
                        + (present.map { "it is \($0) and only rises" } ?? "it must be positive")
                        + ".", path: path)
            }
            guard version != present else { return false }
            try transaction.renewIdentityIfNeeded()
            var save = try SaveOperation(transaction)
            _ = try save.set(
                .minimumVersion, to: .integer(version), author: author, name: "minimum version")
            return true
        }
    }
}

extension WireProperty {
    fileprivate static var minimumVersion: WireProperty { ZoneSettings.minimumVersion }
}
