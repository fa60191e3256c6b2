import ArgumentParser
import Belfry
import Foundation
import Logging

/// The log format on standard error.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json

    /// - Parameter level: The level until the settings are read; they may change it at runtime.
    func logger(_ level: Logger.Level) -> Logger {
        Logger(label: "belfry") { label in
            switch self {
            case .text: SharedLevelLogHandler(StreamLogHandler.standardError(label: label), level: level)
            case .json: SharedLevelLogHandler(JSONLogHandler(), level: level)
            }
        }
    }

    /// Reports why startup failed, in the log format.
    func failure(_ error: ConfigurationError, _ logger: Logger) -> ExitCode {
        guard self == .json else { return Failure.configuration(error) }
        logger.critical("cannot start the server", metadata: ["error": "\(error.description)"])
        return ExitCode(error.exitCode)
    }

    /// Reports a storage failure at runtime. The log already contains it, so only text output needs another line.
    func failure(_ failure: StorageFailure) -> ExitCode {
        self == .json ? ExitCode(EX_IOERR) : Failure.storage(failure)
    }

    /// Reports why the node leaves its cluster, in the same way.
    func failure(_ failure: ClusterFailure) -> ExitCode {
        self == .json ? Failure.exitCode(of: failure) : Failure.cluster(failure)
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
