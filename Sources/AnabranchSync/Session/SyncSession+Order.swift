internal import AnabranchStore

// The order of an exchange: which machine follows when one hands over.

extension HelloMachine {
    package enum Exit: Sendable {
        /// The zone knows the store's cursor, or the store has none.
        case isKnown
        /// The store's cursor was moved back. Hello is said again, to store the zone's epochs.
        case hasRewound
    }

    package static func leave(
        _ exit: Exit, _ session: inout SyncSession, at input: StepInput
    ) -> SyncSession.Action {
        switch exit {
        case .isKnown:
            // The log may be a restored one, which never reaches the position of an earlier answer.
            session.machines.repair.answer = nil
            session.machines.verification.progress?.answer = nil
            guard session.exchange.needsSnapshot else {
                return session.enter(PullMachine.self, at: input)
            }
            // What is unpushed comes first.
            return session.exchange.state.hasPending && !session.machines.push.isOver
                ? session.enter(PushMachine.self, at: input)
                : session.enter(SnapshotMachine.self, at: input)
        case .hasRewound:
            session.machines.push.isOver = false
            return session.enter(HelloMachine.self, at: input)
        }
    }
}

extension PullMachine {
    package enum Exit: Sendable {
        /// The store has all entries of the log, as far as is known.
        case isAtHead
        /// A page of the log will never be applied, for this reason.
        case isUnusable(SyncError)
    }

    package static func leave(
        _ exit: Exit, _ session: inout SyncSession, at input: StepInput
    ) -> SyncSession.Action {
        switch exit {
        case .isAtHead:
            return session.machines.push.isOver
                ? session.enter(RepairMachine.self, at: input)
                : session.enter(PushMachine.self, at: input)
        case .isUnusable(let error):
            session.exchange.outcome.snapshotReason = error
            session.machines.push.startAnew()
            return session.wantSnapshot(at: input)
        }
    }
}

extension PushMachine {
    package enum Exit: Sendable {
        /// Everything is pushed, or the zone refuses the rest.
        case isOver
        /// The log has something that the store must pull before it pushes again.
        case needsPull
    }

    package static func leave(
        _ exit: Exit, _ session: inout SyncSession, at input: StepInput
    ) -> SyncSession.Action {
        switch exit {
        case .isOver where session.exchange.needsSnapshot:
            return session.enter(SnapshotMachine.self, at: input)
        case .isOver where !session.exchange.isBehindHead:
            return session.enter(RepairMachine.self, at: input)
        case .isOver, .needsPull:
            return session.enter(PullMachine.self, at: input)
        }
    }
}

extension SnapshotMachine {
    package enum Exit: Sendable {
        /// The store has recorded that it needs a snapshot.
        case isWanted
        /// The store continues with the log, because another process has loaded a snapshot, or
        /// because the log is less work than the zone had said.
        case isNotNeeded
        /// Saves of the meantime have to be pushed before the snapshot is loaded.
        case mustPush
        case isLoaded
        /// The chunks were damaged, or another process has moved the cursor.
        case isNotLoaded
    }

    package static func leave(
        _ exit: Exit, _ session: inout SyncSession, at input: StepInput
    ) -> SyncSession.Action {
        switch exit {
        case .isWanted: return session.enter(HelloMachine.self, at: input)
        case .isNotNeeded: return session.enter(PullMachine.self, at: input)
        case .mustPush: return session.enter(PushMachine.self, at: input)
        case .isLoaded:
            session.machines.push.startAnew()
            session.exchange.outcome.blockedBy = nil
            return session.enter(PullMachine.self, at: input)
        case .isNotLoaded:
            session.machines.push.isOver = session.exchange.outcome.blockedBy != nil
            return session.enter(HelloMachine.self, at: input)
        }
    }
}

extension RepairMachine {
    package enum Exit: Sendable {
        /// No record waits for repair.
        case isOver
        /// The store must pull up to the position of the zone's answer first.
        case needsPull
        /// A record is larger than an answer may be. A snapshot contains it in pieces and repairs
        /// all records.
        case needsSnapshot
    }

    package static func leave(
        _ exit: Exit, _ session: inout SyncSession, at input: StepInput
    ) -> SyncSession.Action {
        switch exit {
        case .isOver: session.enter(VerificationMachine.self, at: input)
        case .needsPull: session.enter(PullMachine.self, at: input)
        case .needsSnapshot: session.wantSnapshot(at: input)
        }
    }
}

extension VerificationMachine {
    package enum Exit: Sendable {
        /// Store and zone are compared, or no comparison was requested.
        case isOver
        /// The store must pull up to the position of the zone's answer first.
        case needsPull
        /// This store or another replica has saved meanwhile, so everything is exchanged again.
        case hasMissed
        /// Records wait for repair.
        case needsRepair
    }

    package static func leave(
        _ exit: Exit, _ session: inout SyncSession, at input: StepInput
    ) -> SyncSession.Action {
        switch exit {
        case .isOver: return session.conclude()
        case .needsPull: return session.enter(PullMachine.self, at: input)
        case .hasMissed:
            session.machines.push.startAnew()
            return session.enter(PullMachine.self, at: input)
        case .needsRepair: return session.enter(RepairMachine.self, at: input)
        }
    }
}

extension SyncSession {
    /// Lets the store record that it needs a snapshot, then says hello.
    fileprivate mutating func wantSnapshot(at input: StepInput) -> Action {
        path.append(SnapshotMachine.name)
        return perform(machines.snapshot.want(&exchange), of: SnapshotMachine.self, at: input)
    }
}
