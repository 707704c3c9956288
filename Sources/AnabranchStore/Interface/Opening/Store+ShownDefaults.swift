import AnabranchModel
import AnabranchSQLite

extension Store {
    /// Writes the rows of a file from an earlier build again if they may not show the defaults that
    /// they show now.
    ///
    /// The merged state and the log stay as they are. A file without such rows is only marked.
    ///
    /// - Returns: True if the rows were written. This opening of the file can't write then: open it
    ///   again.
    func showDefaultsOfEarlierBuild() throws -> Bool {
        guard !options.isReadOnly, pendingStage == nil,
            try withWriter({ try !ShownDefaults.areMarked(in: $0) })
        else { return false }
        var isWritten = false
        try migrating { source in
            let connection = source.connection
            // Another process may have written the rows meanwhile.
            guard try !ShownDefaults.areMarked(in: connection) else { return }
            isWritten = try ShownDefaults.mayBeMissing(schema, connection)
            if isWritten {
                try replaceTables(to: model, source, checking: [])
            } else {
                try ShownDefaults.mark(connection)
            }
        }
        return isWritten
    }
}
