import AnabranchSQLite

extension Store {
    /// Writes a copy of the store, as it is at one moment, as a file that opens as a store.
    ///
    /// Other programs may write meanwhile. The copy appears at its path when it is complete and on
    /// the disk.
    ///
    /// - Throws: ``StoreError`` `alreadyExists`, `cannotOpen`, `diskFull`.
    package func backUp(to target: String) throws {
        guard !isOfStore(target), FileStatus(of: target) == nil else {
            throw StoreError(
                .alreadyExists,
                "Can't back up \(path) to \(target) because there is a file already, or one of the "
                    + "store. Choose another name.", path: target)
        }
        do {
            let partial = try PartialFile(of: target, rights: 0o600)
            if let status = FileStatus(of: path) { try partial.setRights(status.rights) }
            try read { try $0.connection.backup(to: partial.path) }
            try partial.synchronize()
            try partial.replaceTarget()
            try PartialFile.synchronizeFolder(of: target)
        } catch let error as SystemError {
            throw StoreError(
                error.isDiskFull ? .diskFull : .cannotOpen,
                "Can't back up \(path) to \(target): \(error.text).", path: target,
                underlying: error)
        }
    }
}
