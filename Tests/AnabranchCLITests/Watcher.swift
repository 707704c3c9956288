import Foundation
import Synchronization

/// A command that runs on a thread of its own until it has seen what it waits for.
final class Watcher: Sendable {
    private let result = Mutex<Result<ToolRun, any Error>?>(nil)

    init(_ command: @escaping @Sendable () throws -> ToolRun) {
        Thread.detachNewThread { [self] in
            let ended = Result { try command() }
            result.withLock { $0 = ended }
        }
    }

    /// Acts again and again until the command has ended: however late it began on a busy machine,
    /// something happens after that.
    func end(_ act: () throws -> Void) throws -> ToolRun {
        while true {
            if let ended = result.withLock({ $0 }) { return try ended.get() }
            try act()
            Thread.sleep(forTimeInterval: 0.1)
        }
    }
}
