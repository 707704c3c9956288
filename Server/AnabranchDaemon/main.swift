import Foundation

// C callbacks and threads are in other files, because code in this file belongs to the main actor.
exit(Daemon.run(Array(CommandLine.arguments.dropFirst())))
