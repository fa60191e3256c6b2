// Compiled together with the sources of HTTPCodec, and with HTTPTypes as a module, by Tests/fuzz.
//
//     limits: u8 | step: u8 | bytes as they come from a client

import HTTPTypes

/// Yields requests or a documented violation, the same however the bytes are split, never a trap. The client side
/// parses the same bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    guard input.count > 2 else { return 0 }
    let limits: HTTPLimits
    switch input[0] & 3 {
    case 0:
        limits = HTTPLimits(
            headBytes: 120, fieldCount: 4, requestLineBytes: 40, bodyBytes: 30, chunkLineBytes: 12)
    case 1:
        limits = HTTPLimits(
            headBytes: .max, fieldCount: .max, requestLineBytes: .max, bodyBytes: .max, chunkLineBytes: .max)
    default: limits = HTTPLimits()
    }
    let bytes = UnsafeRawBufferPointer(rebasing: input[2...])
    let step = 1 + Int(input[1])
    let requests = decodeRequests(bytes, step: bytes.count, limits)
    precondition(requests == decodeRequests(bytes, step: 1, limits), "cut into single bytes it differs")
    precondition(requests == decodeRequests(bytes, step: step, limits), "cut it differs")
    let answersHead = input[0] & 4 != 0
    let responses = decodeResponses(bytes, step: bytes.count, limits, answersHead)
    precondition(responses == decodeResponses(bytes, step: 1, limits, answersHead), "cut into single bytes it differs")
    precondition(responses == decodeResponses(bytes, step: step, limits, answersHead), "cut it differs")
    return 0
}

private struct Decoded<Part: Equatable>: Equatable {
    var parts: [Part] = []
    /// The bodies with their pieces joined, as the division has no meaning; one per part.
    var bodies: [[UInt8]] = []
    var violation: HTTPViolation?

    mutating func append(_ part: Part) {
        parts.append(part)
        bodies.append([])
    }

    mutating func append(body bytes: [UInt8]) {
        precondition(!bytes.isEmpty && !bodies.isEmpty)
        bodies[bodies.count - 1] += bytes
    }
}

private func pieces(_ bytes: UnsafeRawBufferPointer, step: Int) -> [UnsafeRawBufferPointer] {
    stride(from: 0, to: bytes.count, by: step).map { start in
        UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + step, bytes.count)])
    }
}

private func decodeRequests(
    _ bytes: UnsafeRawBufferPointer, step: Int, _ limits: HTTPLimits
) -> Decoded<RequestPart> {
    var decoder = RequestDecoder(limits: limits)
    var decoded = Decoded<RequestPart>()
    for piece in pieces(bytes, step: step) {
        decoder.feed(piece)
        do throws(HTTPViolation) {
            while let part = try decoder.next() {
                if case .body(let content) = part {
                    decoded.append(body: content)
                } else {
                    check(part, limits)
                    decoded.append(part)
                }
            }
        } catch {
            precondition((400...505).contains(error.status.code) && !error.description.isEmpty)
            decoded.violation = error
        }
        precondition(decoder.bufferedBytes <= bytes.count, "more is held than came")
    }
    for body in decoded.bodies { precondition(body.count <= limits.bodyBytes) }
    return decoded
}

private func check(_ part: RequestPart, _ limits: HTTPLimits) {
    guard case .head(let head) = part else { return }
    precondition(head.request.headerFields.count < limits.fieldCount)
    precondition(head.request.authority.flatMap(Authority.init) != nil)
    precondition(head.request.path?.first == "/" || (head.request.path == "*" && head.request.method == .options))
    for field in head.request.headerFields {
        precondition(HTTPField.isValidValue(field.value) && field.name.canonicalName != "host")
    }
    if case .length(let length) = head.framing { precondition(length > 0 && length <= limits.bodyBytes) }
}

private func decodeResponses(
    _ bytes: UnsafeRawBufferPointer, step: Int, _ limits: HTTPLimits, _ answersHead: Bool
) -> Decoded<ResponsePart> {
    var decoder = ResponseDecoder(limits: limits, answersHead: answersHead)
    var decoded = Decoded<ResponsePart>()
    for piece in pieces(bytes, step: step) {
        decoder.feed(piece)
        do throws(HTTPViolation) {
            while let part = try decoder.next() {
                if case .body(let content) = part {
                    decoded.append(body: content)
                } else {
                    decoded.append(part)
                }
            }
        } catch {
            decoded.violation = error
        }
    }
    return decoded
}
