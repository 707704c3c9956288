import CSQLite

/// An aggregate function without its type, for the C functions that SQLite calls.
private class AnyAggregate {
    func add(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {}
    func finish(_ context: OpaquePointer) {}

    static func of(_ context: OpaquePointer) -> AnyAggregate? {
        sqlite3_user_data(context).map {
            Unmanaged<AnyAggregate>.fromOpaque($0).takeUnretainedValue()
        }
    }
}

/// An aggregate function that SQLite owns, as it owns a ``CustomFunction``.
private final class CustomAggregate<State>: AnyAggregate {
    let initial: () -> State
    let step: (inout State, FunctionArguments) throws -> Void
    let result: (State) throws -> SQLiteValue
    unowned(unsafe) let connection: Connection

    /// The state of one group of rows.
    final class Group {
        var state: State
        init(_ state: State) { self.state = state }
    }

    init(
        connection: Connection, initial: @escaping () -> State,
        step: @escaping (inout State, FunctionArguments) throws -> Void,
        result: @escaping (State) throws -> SQLiteValue
    ) {
        self.connection = connection
        self.initial = initial
        self.step = step
        self.result = result
    }

    /// The memory that SQLite keeps for the group: the address of a retained object, or zero.
    private func memory(_ context: OpaquePointer, isNew: Bool) -> UnsafeMutableRawPointer? {
        sqlite3_aggregate_context(context, isNew ? Int32(MemoryLayout<UInt>.size) : 0)
    }

    override func add(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        guard let memory = memory(context, isNew: true) else {
            sqlite3_result_error_nomem(context)
            return
        }
        let address = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        let group: Group
        if let known = address.pointee {
            group = Unmanaged<Group>.fromOpaque(known).takeUnretainedValue()
        } else {
            group = Group(initial())
            address.pointee = Unmanaged.passRetained(group).toOpaque()
        }
        do {
            try step(&group.state, FunctionArguments(context: context, values: values))
        } catch {
            connection.fail(context, with: error)
        }
    }

    override func finish(_ context: OpaquePointer) {
        var state: State?
        // SQLite calls this also for a group that an error ended, so the object is released here.
        if let memory = memory(context, isNew: false) {
            let address = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
            if let known = address.pointee {
                state = Unmanaged<Group>.fromOpaque(known).takeRetainedValue().state
                address.pointee = nil
            }
        }
        do {
            FunctionResult.answer(try result(state ?? initial()), to: context)
        } catch {
            connection.fail(context, with: error)
        }
    }
}

extension Connection {
    /// Defines an aggregate function and replaces one of the same name and argument count.
    ///
    /// Errors of `step` and `result` fail the calling statement, as those of a function do. SQLite
    /// also calls `result` for a group that an error ended.
    ///
    /// - Parameters:
    ///   - argumentCount: 0…127; `nil` accepts any number.
    ///   - initial: The state of a group without rows.
    ///   - step: Adds a row to the state.
    ///   - result: The value of the group.
    public func createAggregate<State>(
        _ name: String, argumentCount: Int?, traits: FunctionTraits = [],
        initial: @escaping () -> State,
        step: @escaping (inout State, FunctionArguments) throws -> Void,
        result: @escaping (State) throws -> SQLiteValue
    ) throws {
        let action = "define the aggregate \(name)"
        let database = try openDatabase(to: action)
        let aggregate: AnyAggregate = CustomAggregate(
            connection: self, initial: initial, step: step, result: result)
        // SQLite calls the destructor also if the definition fails.
        let status = sqlite3_create_function_v2(
            database, name, argumentCount.map { Int32(clamping: $0) } ?? -1, traits.flags,
            Unmanaged.passRetained(aggregate).toOpaque(), nil,
            { context, count, values in
                guard let context else { return }
                AnyAggregate.of(context)?
                    .add(context, UnsafeBufferPointer(start: values, count: Int(count)))
            },
            { context in
                guard let context else { return }
                AnyAggregate.of(context)?.finish(context)
            },
            { held in if let held { Unmanaged<AnyAggregate>.fromOpaque(held).release() } })
        guard status == SQLITE_OK else {
            throw SQLiteError(status: status, database: database, action: action)
        }
    }
}
