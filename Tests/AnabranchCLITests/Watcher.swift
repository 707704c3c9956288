import Foundation
import Synchronization

/// A command that runs on a separate thread until it has seen the expected event.
final class Watcher: Sendable {
    private let result = Mutex<Result<ToolRun, any Error>?>(nil)

    init(_ command: @escaping @Sendable () throws -> ToolRun) {
        Thread.detachNewThread { [self] in
            let ended = Result { try command() }
            result.withLock { $0 = ended }
        }
    }

    /// Repeats an action until the command has ended. However late the command starts on a busy
    /// machine, an action follows.
    func end(_ act: () throws -> Void) throws -> ToolRun {
        while true {
            if let ended = result.withLock({ $0 }) { return try ended.get() }
            try act()
            Thread.sleep(forTimeInterval: 0.1)
        }
    }
}
