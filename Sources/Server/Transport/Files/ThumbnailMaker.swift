import ChatModel
import Dispatch
import Glibc
import Synchronization

/// Makes thumbnails with libvips' `vipsthumbnail`, one at a time, each in its own process.
///
/// Image decoders expose C code to untrusted bytes. A crash in one ends only its process, and the kernel bounds its
/// memory, time and output. The number of pixels is checked before decoding. All work runs on `queue`, which may block.
final class ThumbnailMaker: Sendable {
    private let tool: String
    private let limits: FileStore.Limits
    private let queue = DispatchQueue(label: "belfry.thumbnails")
    private let waiting = Atomic<Int>(0)
    private let metrics: ThumbnailMetrics

    /// - Returns: `nil` when thumbnails are disabled or the tool is not in `PATH`.
    init?(_ limits: FileStore.Limits, _ metrics: ThumbnailMetrics) {
        guard limits.makesThumbnails, let tool = Self.find("vipsthumbnail") else { return nil }
        self.tool = tool
        self.limits = limits
        self.metrics = metrics
    }

    enum Result: Equatable {
        case made
        /// No thumbnail can be made, because the image is too large, broken or in an unsupported format.
        case impossible
        /// Too many thumbnails are queued.
        case busy
    }

    /// - Parameters:
    ///   - folder: The image's folder, which is also the tool's working directory.
    ///   - image: A name in the folder that does not look like an option.
    ///   - output: The path of the thumbnail relative to the folder, without its suffix (`.png` or `.jpg`).
    ///   - done: Called on the maker's queue with the full path of the thumbnail.
    func make(
        of image: String, in folder: String, fitting size: ThumbnailSize, as output: String,
        _ done: @escaping @Sendable (Result, _ path: String) -> Void
    ) {
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= limits.thumbnailsWaiting else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            metrics.count(.busy)
            return done(.busy, "")
        }
        metrics.waiting.increment()
        queue.async { [self] in
            let began = DispatchTime.now().uptimeNanoseconds
            let (result, path) = makeNow(image, in: folder, fitting: size, as: output)
            metrics.time.recordNanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds &- began))
            metrics.count(result)
            waiting.wrappingSubtract(1, ordering: .relaxed)
            metrics.waiting.decrement()
            done(result, path)
        }
    }

    // MARK: On `queue`

    private func makeNow(
        _ image: String, in folder: String, fitting size: ThumbnailSize, as output: String
    ) -> (result: Result, path: String) {
        guard let header = Self.header(of: "\(folder)/\(image)"), header.pixels <= limits.thumbnailPixels else {
            return (.impossible, "")
        }
        let (suffix, options) = header.format == .png ? (".png", "[strip]") : (".jpg", "[Q=80,strip]")
        let isMade = run([
            folder, tool, "--vips-concurrency=1", "--export-profile=srgb",
            "--size=\(size.maxWidth)x\(size.maxHeight)>", "--output=\(output)\(suffix)\(options)", image,
        ])
        let path = "\(folder)/\(output)\(suffix)"
        if !isMade { unlink(path) }
        return (isMade ? .made : .impossible, path)
    }

    private static func header(of path: String) -> ImageHeader? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let head = [UInt8](unsafeUninitializedCapacity: ImageHeader.headBytes) { buffer, count in
            while count < buffer.count {
                let read = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                guard read > 0 else { break }
                count += read
            }
        }
        return ImageHeader(head)
    }

    /// No core dump, 1 GiB of address space, 10 s of CPU time, 16 MiB of output (in blocks of 512 bytes).
    private static let script = """
        cd "$1" && shift && ulimit -c 0 && ulimit -v 1048576 && ulimit -t 10 && ulimit -f 32768 && exec nice -n 10 "$@"
        """

    /// Makes decoder warnings fatal (GLib ends the process) and disables the formats that libvips does not trust.
    private static let environment = [
        "PATH=/usr/local/bin:/usr/bin:/bin", "G_DEBUG=fatal-warnings", "VIPS_BLOCK_UNTRUSTED=1",
    ]

    /// - Returns: Whether the process exited in time with status 0.
    private func run(_ arguments: [String]) -> Bool {
        guard let process = Self.spawn(["sh", "-c", Self.script, "sh"] + arguments) else { return false }
        var status: Int32 = 0
        for _ in 0..<max(1, limits.thumbnailMilliseconds / Self.pollMilliseconds) {
            switch waitpid(process, &status, WNOHANG) {
            case process: return status == 0
            case 0: usleep(UInt32(Self.pollMilliseconds) * 1_000)
            case -1 where errno == EINTR: continue
            default: return false
            }
        }
        // Kill the whole process group, because the shell may not have started the tool yet.
        kill(-process, SIGKILL)
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        return false
    }

    private static let pollMilliseconds = 5

    private static func spawn(_ arguments: [String]) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, "/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
        }
        // The tool must not inherit the server's signal mask and handlers.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let argv = arguments.map { strdup($0) } + [nil]
        let environment = environment.map { strdup($0) } + [nil]
        defer { for string in argv + environment { free(string) } }
        var process: pid_t = 0
        return posix_spawn(&process, "/bin/sh", &actions, &attributes, argv, environment) == 0 ? process : nil
    }

    private static func find(_ name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }
}
