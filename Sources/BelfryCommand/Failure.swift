import ArgumentParser
import Belfry
import Foundation

/// How a command ends that cannot do its work.
enum Failure {
    /// `EX_CONFIG` of sysexits.h.
    private static let configurationExitCode: Int32 = 78

    /// Says what is wrong on standard error, in one line.
    static func configuration(_ error: ConfigurationError) -> ExitCode {
        FileHandle.standardError.write(Data("belfry: \(error.description)\n".utf8))
        return ExitCode(configurationExitCode)
    }
}
