import ArgumentParser
import Belfry
import Foundation
import Logging

/// How logs are written to standard error.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json

    /// - Parameter level: Until the settings are read; they may change it while the server runs.
    func logger(_ level: Logger.Level) -> Logger {
        Logger(label: "belfry") { label in
            switch self {
            case .text: SharedLevelLogHandler(StreamLogHandler.standardError(label: label), level: level)
            case .json: SharedLevelLogHandler(JSONLogHandler(), level: level)
            }
        }
    }

    /// Says what a start failed for, in the same form as the log.
    func failure(_ error: ConfigurationError, _ logger: Logger) -> ExitCode {
        guard self == .json else { return Failure.configuration(error) }
        logger.critical("the server cannot start", metadata: ["error": "\(error.description)"])
        return ExitCode(error.exitCode)
    }

    /// The same of what a server ended for; the log has told it, but for the line that people read.
    func failure(_ failure: StorageFailure) -> ExitCode {
        self == .json ? ExitCode(EX_IOERR) : Failure.storage(failure)
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
