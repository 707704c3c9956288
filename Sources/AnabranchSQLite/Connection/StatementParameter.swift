/// A value for one parameter of a statement, or for several that follow one another.
public protocol StatementParameter {
    /// Binds the value, and sets the index to that of the next parameter.
    func bind(to statement: Statement, at index: inout Int) throws
}

extension Int64: StatementParameter {
    @inlinable
    public func bind(to statement: Statement, at index: inout Int) throws {
        try statement.bind(self, at: index)
        index += 1
    }
}

extension String: StatementParameter {
    @inlinable
    public func bind(to statement: Statement, at index: inout Int) throws {
        try statement.bind(self, at: index)
        index += 1
    }
}

extension [UInt8]: StatementParameter {
    @inlinable
    public func bind(to statement: Statement, at index: inout Int) throws {
        try statement.bind(self, at: index)
        index += 1
    }
}

extension SQLiteValue: StatementParameter {
    @inlinable
    public func bind(to statement: Statement, at index: inout Int) throws {
        try statement.bind(self, at: index)
        index += 1
    }
}

/// `nil` is one NULL.
extension Optional: StatementParameter where Wrapped: StatementParameter {
    @inlinable
    public func bind(to statement: Statement, at index: inout Int) throws {
        if let self { return try self.bind(to: statement, at: &index) }
        try statement.bindNull(at: index)
        index += 1
    }
}

extension Statement {
    /// Binds values to consecutive parameters.
    ///
    /// - Parameter first: The index of the first parameter.
    @inlinable
    public func bind<each Parameter: StatementParameter>(
        _ values: repeat each Parameter, from first: Int = 1
    ) throws {
        var index = first
        for value in repeat each values { try value.bind(to: self, at: &index) }
    }
}

extension Connection {
    /// Returns a statement like ``cached(_:)`` with values for its first parameters.
    @inlinable
    public func cached<each Parameter: StatementParameter>(
        _ sql: String, _ values: repeat each Parameter
    ) throws -> Statement {
        let statement = try cached(sql)
        try statement.bind(repeat each values)
        return statement
    }
}
