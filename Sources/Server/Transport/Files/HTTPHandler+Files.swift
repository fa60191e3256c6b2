import API
import ChatDomain
import ChatModel
import Gateway
import HTTPCodec
import HTTPTypes
import WireProtocol

/// Files over HTTP: `POST /v1/files` and `GET /v1/files/{id}/{name}`. (`MS1`)
extension HTTPHandler {
    // MARK: Upload

    /// - Returns: False when the declared length already exceeds the limit.
    func acceptsLength(of head: RequestHead) -> Bool {
        guard case .length(let length) = head.framing else { return true }
        return length <= services.content.files.limits.maxBytes
    }

    func startUpload(_ head: RequestHead, _ sender: Caller) {
        let path = head.request.path ?? ""
        do throws(Rejection) {
            let caller = try UploadTarget.caller(path: path, sentBy: sender)
            if services.chat.commands.unknownFields.refuses {
                try UploadTarget.refuseUnknownFields(path: path, sentBy: sender)
            }
            let target = try UploadTarget(path: path)
            guard !services.content.files.isShortOfSpace else {
                throw Rejection(.storageUnavailable, "too little disk space for uploads")
            }
            state.awaitAdmission(to: target, by: caller)
            runQuery(PrepareUpload(channelID: target.channel, size: Int64(declaredLength ?? 0)), as: caller)
        } catch {
            reject(error)
        }
    }

    private func runQuery(_ query: some Query, as caller: Caller) {
        services.chat.engine.query(query, as: caller, admitsNewcomer: !isServerKey, answerTo: returnAddress)
    }

    /// The declared length of the body, if any.
    private var declaredLength: Int? {
        guard case .length(let length)? = head?.framing else { return nil }
        return length
    }

    /// Charges a user's uploads against a byte rate. The app's backend is not limited.
    private func chargeBytes(_ count: Int) throws(Rejection) {
        guard let user else { return }
        guard let wait = services.content.files.rates.charge(user, count, now: services.wallClock()) else { return }
        services.metrics.commandsRefused.increment()
        throw Rejection(.tooManyRequests, "uploaded bytes", retryAfterMilliseconds: wait)
    }

    /// Continues after the chat has permitted the upload.
    func createFile() {
        do throws(Rejection) {
            if let declaredLength { try chargeBytes(declaredLength) }
        } catch {
            return reject(error)
        }
        guard let file = services.content.files.claim(for: user) else {
            return reject(Rejection(.tooManyRequests, "uploads and downloads in progress"))
        }
        file.create(
            inThisExchange { handler, isCreated in
                guard isCreated else { return handler.reject(Rejection(.storageUnavailable)) }
                let limit = handler.services.content.files.limits.maxBytes
                handler.state.startUpload(into: file, limit: limit, now: handler.server.now)
                handler.sendContinue()
            })
    }

    /// Writes a piece of the body, and reads the next one when this one is written.
    func write(_ bytes: [UInt8], to file: OpenFile) {
        do throws(Rejection) {
            if declaredLength == nil { try chargeBytes(bytes.count) }
            guard !services.content.files.isShortOfSpace else {
                throw Rejection(.storageUnavailable, "too little disk space for uploads")
            }
        } catch {
            return reject(error)
        }
        file.append(
            bytes,
            inThisExchange { handler, isWritten in
                guard isWritten else { return handler.reject(Rejection(.storageUnavailable)) }
                handler.state.resumeBody(now: handler.server.now)
            })
    }

    /// Stores the file on disk under its final name and registers it with the chat.
    func complete(_ upload: State.Upload) {
        let (target, caller) = (upload.target, upload.caller)
        upload.file.complete(
            inThisExchange { handler, received in
                guard let received else { return handler.reject(Rejection(.storageUnavailable)) }
                handler.state.awaitRegistration()
                handler.services.chat.engine.change(
                    RegisterFile(
                        id: received.id, channelID: target.channel, name: target.name, size: received.size,
                        mimeType: received.mimeType),
                    as: caller, admitsNewcomer: !handler.isServerKey, answerTo: handler.returnAddress)
            })
    }

    /// Continues after the chat has registered the file.
    func finishUpload(_ file: OpenFile, _ result: any Encodable) {
        guard let registered = result as? RegisterFile.Response else { return reject(Rejection(.internal)) }
        file.keep()
        respond(.result(server.encoder.encode(FileResponse(file: registered.file))))
    }

    /// Answers 413 with the chat's error code, without reading the rest of the body.
    func refuseTooLarge() {
        let limit = services.content.files.limits.maxBytes
        var answer = HTTPAnswer.rejected(Rejection(.fileRejected, "the file is larger than \(limit) bytes"))
        answer.response.status = .contentTooLarge
        services.metrics.codes.refused(.fileRejected)
        respond(answer, closes: true)
    }

    // MARK: Download

    func startDownload(_ id: FileID, _ head: RequestHead, _ sender: Caller) {
        let path = head.request.path ?? ""
        do throws(Rejection) {
            let caller = try UploadTarget.caller(path: path, sentBy: sender)
            let size = try UploadTarget.thumbnail(path: path)
            state.awaitLookup(of: size)
            if let size {
                runQuery(GetThumbnail(id: id, size: size), as: caller)
            } else {
                runQuery(GetFile(id: id), as: caller)
            }
        } catch {
            reject(error)
        }
    }

    /// Continues after the chat has permitted the download.
    func openFoundFile(_ result: any Encodable, _ size: ThumbnailSize?) {
        guard let file = result as? UploadedFile else { return reject(Rejection(.internal)) }
        if let size { openThumbnail(of: file, size) } else { openFile(file) }
    }

    /// Sends the thumbnail, or the original image when there is none.
    private func openThumbnail(of file: UploadedFile, _ size: ThumbnailSize) {
        guard let open = services.content.files.claim(for: user) else {
            return reject(Rejection(.tooManyRequests, "uploads and downloads in progress"))
        }
        open.openThumbnail(
            of: file.id, size,
            inThisExchange { handler, bytes in
                if let bytes { handler.send(open, file, bytes: bytes) } else { handler.openFile(file) }
            })
    }

    private func openFile(_ file: UploadedFile) {
        guard let open = services.content.files.claim(for: user) else {
            return reject(Rejection(.tooManyRequests, "uploads and downloads in progress"))
        }
        open.open(
            file.id,
            inThisExchange { handler, isThere in
                guard isThere else { return handler.reject(Rejection(.notFound, "file")) }
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
        state.startDownload(of: open, bytes: bytes, closes: closes, now: server.now)
        pump()
    }

    /// Reads and sends the next piece, unless a read is in progress or the peer is still reading the previous piece.
    func pump() {
        guard let file = state.nextPiece(hasRoom: connection.hasRoomForAnswers) else { return }
        file.read(
            inThisExchange { handler, bytes in
                switch handler.state.receivePiece(bytes.count, now: handler.server.now) {
                case .more(let count):
                    handler.connection.write(Array(bytes.prefix(count)), isAnswer: true)
                    handler.pump()
                case .last(let count, let closes):
                    handler.connection.write(Array(bytes.prefix(count)), isAnswer: true)
                    handler.endTransfer(closes: closes)
                case .tooShort: handler.endTransfer(closes: true)
                case nil: break
                }
            })
    }
}
