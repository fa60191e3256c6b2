import ArgumentParser
import Belfry
import Foundation

/// Prints errors and returns exit codes.
enum Failure {
    /// Prints the error to standard error, on one line.
    static func configuration(_ error: ConfigurationError) -> ExitCode {
        FileHandle.standardError.write(Data("belfry: \(error.description)\n".utf8))
        return ExitCode(error.exitCode)
    }

    static func damage(_ text: String) -> ExitCode {
        FileHandle.standardError.write(Data("belfry: \(text)\n".utf8))
        return ExitCode(EX_DATAERR)
    }

    static func storage(_ failure: StorageFailure) -> ExitCode {
        FileHandle.standardError.write(Data("belfry: \(failure.description)\n".utf8))
        return ExitCode(EX_IOERR)
    }

    static func exitCode(of failure: ClusterFailure) -> ExitCode {
        ExitCode(failure.isTemporary ? EX_TEMPFAIL : EX_DATAERR)
    }

    static func cluster(_ failure: ClusterFailure) -> ExitCode {
        FileHandle.standardError.write(Data("belfry: \(failure.description)\n".utf8))
        return exitCode(of: failure)
    }
}
