import Foundation

exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
