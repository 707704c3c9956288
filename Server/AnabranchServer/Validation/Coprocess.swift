import Foundation

/// A running program that writes one line for each line that it reads, used by one thread at a
/// time.
///
/// It is in a process group of its own, so signals of a terminal do not reach it, and its end
/// includes the processes that it started. Its standard error is that of this process.
final class Coprocess: @unchecked Sendable {
    private let process: pid_t
    private var input: PipeEnd?
    private let output: PipeEnd
    private var hasEnded = false
    /// Held while a process starts, so that no other one gets the ends of its pipes.
    private static let starting = NSLock()

    /// Starts the program at a path, without arguments.
    init(_ path: String) throws(ValidationFailure) {
        Self.starting.lock()
        defer { Self.starting.unlock() }
        let toProgram = try PipeEnd.pair()
        let fromProgram = try PipeEnd.pair()
        let (status, started) = Self.spawn(
            path, input: toProgram.reading, output: fromProgram.writing)
        guard status == 0 else {
            throw ValidationFailure(
                "\(path) can't be started: \(String(cString: strerror(status)))")
        }
        process = started
        input = toProgram.writing
        output = fromProgram.reading
        toProgram.writing.stopBlocking()
        fromProgram.reading.stopBlocking()
    }

    deinit { end() }

    /// Starts the program with these ends as its standard input and output, and with the signals
    /// as they are by default: those that this process blocks or ignores would stay so.
    private static func spawn(
        _ path: String, input: PipeEnd, output: PipeEnd
    ) -> (status: Int32, process: pid_t) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input.descriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, output.descriptor, 1)
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        var restored = sigset_t()
        sigemptyset(&restored)
        for number in [SIGPIPE, SIGHUP, SIGINT, SIGTERM] { sigaddset(&restored, number) }
        posix_spawnattr_setsigdefault(&attributes, &restored)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var process = pid_t()
        let status = path.withCString { name in
            var arguments = [UnsafeMutablePointer(mutating: name), nil]
            return posix_spawn(&process, name, &actions, &attributes, &arguments, environ)
        }
        return (status, process)
    }

    /// True if the program waits for a request: it runs, and has written nothing since its last
    /// answer.
    var isQuiet: Bool { !output.isReadable }

    /// Writes a line and reads the line that answers it.
    ///
    /// - Throws: A failure, after which the program is in an unknown state and must be ended.
    func answer(
        to request: [UInt8], within timeout: Duration, unless stop: StopSignal
    ) throws(ValidationFailure) -> [UInt8] {
        let deadline = ContinuousClock.now + timeout
        var sent = 0
        var answer: [UInt8] = []
        // A program may answer while it reads, so both directions go on at the same time.
        while answer.last != UInt8(ascii: "\n") {
            guard !stop.isOver else { throw .isStopping }
            guard try wait(until: deadline, isSending: sent < request.count) else {
                throw ValidationFailure.noAnswer(within: timeout)
            }
            sent += try send(request[sent...])
            try receive(into: &answer)
        }
        guard sent == request.count else {
            throw ValidationFailure("it answered before it had read its request")
        }
        return answer
    }

    /// Waits until the program can be written to or read from, or for a moment.
    ///
    /// - Returns: False if the deadline has passed.
    private func wait(
        until deadline: ContinuousClock.Instant, isSending: Bool
    ) throws(ValidationFailure) -> Bool {
        let left = deadline - ContinuousClock.now
        guard left > .zero else { return false }
        var ends = [pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0)]
        if isSending, let input {
            ends.append(pollfd(fd: input.descriptor, events: Int16(POLLOUT), revents: 0))
        }
        let count = poll(
            &ends, nfds_t(ends.count),
            min(Int32(left.wholeMilliseconds), StopSignal.waitMilliseconds))
        guard count >= 0 || errno == EINTR else { throw Self.failure("it can't be waited for") }
        return true
    }

    /// - Returns: The number of bytes that were written, maybe none.
    private func send(_ bytes: ArraySlice<UInt8>) throws(ValidationFailure) -> Int {
        guard !bytes.isEmpty, let input else { return 0 }
        let count = bytes.withUnsafeBytes { write(input.descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else {
            throw errno == EPIPE
                ? ValidationFailure("it ended before it answered")
                : Self.failure("it reads nothing")
        }
        return 0
    }

    /// Adds what has arrived, up to the end of a line. Bytes behind a line break the form.
    private func receive(into answer: inout [UInt8]) throws(ValidationFailure) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(output.descriptor, &buffer, buffer.count)
        guard count != 0 else { throw ValidationFailure("it ended before it answered") }
        guard count > 0 else {
            guard errno == EAGAIN || errno == EINTR else { throw Self.failure("it can't be read") }
            return
        }
        let lineLength = buffer.withUnsafeBytes { bytes in
            bytes.baseAddress.flatMap { start in
                memchr(start, Int32(UInt8(ascii: "\n")), count).map {
                    UnsafeRawPointer($0) - start + 1
                }
            }
        }
        guard lineLength ?? count == count else {
            throw ValidationFailure("it wrote more than one line for one request")
        }
        answer += buffer[..<count]
        guard answer.count <= largestValidationAnswer else {
            throw ValidationFailure("its answer has more than \(largestValidationAnswer) bytes")
        }
    }

    private static func failure(_ what: String) -> ValidationFailure {
        ValidationFailure("\(what): \(String(cString: strerror(errno)))")
    }

    /// Tells the program that no request follows, after which it should end.
    func closeInput() { input = nil }

    /// Waits for the end of the program, and kills it at a deadline.
    func end(by deadline: ContinuousClock.Instant) {
        while !hasEnded, ContinuousClock.now < deadline {
            var status: Int32 = 0
            hasEnded = waitpid(process, &status, WNOHANG) == process
            if !hasEnded { usleep(5000) }
        }
        end()
    }

    /// Kills the program and the processes of its group.
    func end() {
        input = nil
        guard !hasEnded else { return }
        hasEnded = true
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
