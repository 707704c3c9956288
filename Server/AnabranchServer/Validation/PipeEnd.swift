import Foundation

/// One end of a pipe, which is closed with this object. A program that is started does not get it.
final class PipeEnd: Sendable {
    let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    static func pair() throws(ValidationFailure) -> (reading: PipeEnd, writing: PipeEnd) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw ValidationFailure("there is no pipe for it: \(String(cString: strerror(errno)))")
        }
        return (PipeEnd(ends[0]), PipeEnd(ends[1]))
    }

    /// Makes reads and writes return at once.
    func stopBlocking() { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

    /// True if there are bytes to read or the other end is closed.
    var isReadable: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) != 0
    }
}
