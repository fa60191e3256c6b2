import API
import ChatDomain
import ChatModel
import Gateway
import HTTPCodec
import HTTPTypes
import WireProtocol

/// The step a file transfer is in. Nothing is read from the connection while the chat or the file store works on a
/// step.
enum FileTransfer {
    /// Waits for permission to upload. The body is not read before that.
    case admitting(UploadTarget, CommandTable.Authority)
    case receiving(OpenFile, UploadTarget, CommandTable.Authority, received: Int, end: Int64)
    case registering(OpenFile)
    /// Waits for permission to read the file or its thumbnail.
    case finding(ThumbnailSize?)
    /// - `rest`: Bytes still to be sent.
    case sending(OpenFile, rest: Int64, isReading: Bool, closes: Bool)
}

/// Files over HTTP: `POST /v1/files` and `GET /v1/files/{id}/{name}`. (`MS1`)
extension HTTPHandler {
    // MARK: Upload

    /// - Returns: False when the declared length alone exceeds the limit.
    func acceptsLength(of head: RequestHead) -> Bool {
        guard case .length(let length) = head.framing else { return true }
        return length <= server.services.files.limits.maxBytes
    }

    func startUpload(_ head: RequestHead, _ authority: CommandTable.Authority) {
        let path = head.request.path ?? ""
        do throws(Rejection) {
            let caller = try UploadTarget.caller(path: path, authority)
            if server.services.commands.unknownFields.refuses {
                try UploadTarget.refuseUnknownFields(path: path, authority)
            }
            let target = try UploadTarget(path: path)
            guard !server.services.files.isShortOfSpace else { throw Rejection(.storageUnavailable, "files") }
            transfer = .admitting(target, caller)
            runQuery(PrepareUpload(channelID: target.channel, size: Int64(declaredLength ?? 0)), as: caller)
        } catch {
            refuse(error)
        }
    }

    private func runQuery(_ query: some Query, as authority: CommandTable.Authority) {
        server.services.engine.query(
            query, as: authority.caller, admitsNewcomer: !isServerKey, answerTo: returnAddress)
    }

    /// Handles the chat's answer to a step.
    func handleFileAnswer(_ answer: Answer) {
        switch (transfer, answer) {
        case (_, .failure(let rejection)): refuse(rejection)
        case (.admitting(let target, let authority), .success): createFile(target, authority)
        case (.registering(let file), .success(let result)):
            guard let registered = result as? RegisterFile.Response else { return refuse(Rejection(.internal)) }
            file.keep()
            respond(.result(server.encoder.encode(FileResponse(file: registered.file))))
        case (.finding(let size), .success(let result)):
            guard let file = result as? UploadedFile else { return refuse(Rejection(.internal)) }
            if let size { openThumbnail(of: file, size) } else { openFile(file) }
        default: refuse(Rejection(.internal))
        }
    }

    /// The body's length, if the request declares it.
    private var declaredLength: Int? {
        guard case .length(let length)? = head?.framing else { return nil }
        return length
    }

    /// Charges a user's uploads to a byte rate; the app's backend is not limited.
    private func chargeBytes(_ count: Int) throws(Rejection) {
        guard let user else { return }
        let services = server.services
        guard let wait = services.files.rates.charge(user, count, now: services.wallClock()) else { return }
        services.metrics.commandsRefused.increment()
        throw Rejection(.tooManyRequests, "bytes of uploads", retryAfterMilliseconds: wait)
    }

    private func createFile(_ target: UploadTarget, _ authority: CommandTable.Authority) {
        do throws(Rejection) {
            if let declaredLength { try chargeBytes(declaredLength) }
        } catch {
            return refuse(error)
        }
        guard let file = server.services.files.claim(for: user) else {
            return refuse(Rejection(.tooManyRequests, "files"))
        }
        file.create(
            inThisExchange { handler, isCreated in
                guard isCreated else { return handler.refuse(Rejection(.storageUnavailable)) }
                let end = handler.server.now + handler.server.services.files.limits.uploadMilliseconds
                handler.transfer = .receiving(file, target, authority, received: 0, end: end)
                handler.beginBody(until: end)
            })
    }

    /// Writes a piece of the body; the next one is read when it has been written.
    func receiveFile(_ bytes: [UInt8]) {
        guard case .receiving(let file, let target, let authority, let received, let end) = transfer else { return }
        guard received + bytes.count <= server.services.files.limits.maxBytes else { return refuseTooLarge() }
        do throws(Rejection) {
            if declaredLength == nil { try chargeBytes(bytes.count) }
            guard !server.services.files.isShortOfSpace else { throw Rejection(.storageUnavailable, "files") }
        } catch {
            return refuse(error)
        }
        transfer = .receiving(file, target, authority, received: received + bytes.count, end: end)
        state = .answering
        file.append(
            bytes,
            inThisExchange { handler, isWritten in
                guard isWritten else { return handler.refuse(Rejection(.storageUnavailable)) }
                handler.continueBody(until: end)
            })
    }

    func completeFile() {
        guard case .receiving(let file, let target, let authority, let received, _) = transfer else { return }
        guard received > 0 else { return refuse(Rejection(.fileRejected, "empty")) }
        state = .answering
        file.complete(
            inThisExchange { handler, upload in
                guard let upload else { return handler.refuse(Rejection(.storageUnavailable)) }
                handler.transfer = .registering(file)
                handler.server.services.engine.change(
                    RegisterFile(
                        id: upload.id, channelID: target.channel, name: target.name, size: upload.size,
                        mimeType: upload.mimeType),
                    as: authority.caller, admitsNewcomer: !handler.isServerKey, answerTo: handler.returnAddress)
            })
    }

    /// Answers 413 with the chat's error code; the rest of the body is not read.
    func refuseTooLarge() {
        let limit = server.services.files.limits.maxBytes
        var answer = HTTPAnswer.rejected(Rejection(.fileRejected, "more than \(limit) bytes"))
        answer.response.status = .contentTooLarge
        server.services.metrics.codes.refused(.fileRejected)
        respond(answer, closes: true)
    }

    private func refuse(_ rejection: Rejection) { reject(rejection) }

    // MARK: Download

    func startDownload(_ id: FileID, _ head: RequestHead, _ authority: CommandTable.Authority) {
        let path = head.request.path ?? ""
        do throws(Rejection) {
            let caller = try UploadTarget.caller(path: path, authority)
            let size = try UploadTarget.thumbnail(path: path)
            transfer = .finding(size)
            if let size {
                runQuery(GetThumbnail(id: id, size: size), as: caller)
            } else {
                runQuery(GetFile(id: id), as: caller)
            }
        } catch {
            refuse(error)
        }
    }

    /// Sends the thumbnail, or the original image when there is none.
    private func openThumbnail(of file: UploadedFile, _ size: ThumbnailSize) {
        guard let open = server.services.files.claim(for: user) else {
            return refuse(Rejection(.tooManyRequests, "files"))
        }
        open.openThumbnail(
            of: file.id, size,
            inThisExchange { handler, bytes in
                if let bytes { handler.send(open, file, bytes: bytes) } else { handler.openFile(file) }
            })
    }

    private func openFile(_ file: UploadedFile) {
        guard let open = server.services.files.claim(for: user) else {
            return refuse(Rejection(.tooManyRequests, "files"))
        }
        open.open(
            file.id,
            inThisExchange { handler, isThere in
                guard isThere else { return handler.refuse(Rejection(.notFound, "file")) }
                handler.send(open, file, bytes: file.size)
            })
    }

    private func send(_ open: OpenFile, _ file: UploadedFile, bytes: Int64) {
        var response = HTTPAnswer.text(.ok, "").response
        response.headerFields[.contentType] =
            file.mimeType.hasPrefix("text/") ? file.mimeType + "; charset=utf-8" : file.mimeType
        response.headerFields[.contentDisposition] =
            "attachment; filename*=UTF-8''" + PercentEncoding.encode(file.name)
        let (closes, hasBody) = beginAnswer(response, contentLength: bytes)
        guard hasBody else { return endTransfer(closes: closes) }
        transfer = .sending(open, rest: bytes, isReading: false, closes: closes)
        pump()
    }

    /// Reads and sends the next piece, unless one is being read or the peer has not yet read what was sent.
    func pump() {
        guard case .sending(let open, let rest, false, let closes) = transfer, connection.hasRoomForAnswers else {
            return
        }
        slowSince = nil
        transfer = .sending(open, rest: rest, isReading: true, closes: closes)
        open.read(
            inThisExchange { handler, bytes in
                let piece = bytes.prefix(Int(clamping: rest))
                // The length has been announced, so a file that ends early breaks the response.
                guard !piece.isEmpty else { return handler.endTransfer(closes: true) }
                handler.connection.write(Array(piece), isAnswer: true)
                let rest = rest - Int64(piece.count)
                guard rest > 0 else { return handler.endTransfer(closes: closes) }
                handler.transfer = .sending(open, rest: rest, isReading: false, closes: closes)
                handler.slowSince = handler.server.now
                handler.pump()
            })
    }

    /// Ends a download whose peer reads too slowly, because it keeps a file open that others wait for.
    ///
    /// - Returns: True when the download was ended.
    func endSlowDownload(now: Int64) -> Bool {
        guard let slowSince, now >= slowSince + server.services.files.limits.pieceMilliseconds else { return false }
        server.services.files.metrics.slow.increment()
        resetRequest()
        connection.close()
        return true
    }
}

extension CommandTable.Authority {
    fileprivate var caller: Caller {
        switch self {
        case .user(let user): .user(user)
        case .server: .server
        case .nobody: preconditionFailure("whoever has shown nothing gets no further than guest.create")
        }
    }
}
