import Foundation

// C callbacks and threads live in other files: what stands here belongs to the main actor.
exit(Daemon.run(Array(CommandLine.arguments.dropFirst())))
