// Re-exports the types in the public interface: HTTP requests and responses, the types of commands and events,
// the error codes. A program that embeds the server needs only one import.
@_exported import ChatModel
@_exported import HTTPTypes
@_exported import WireProtocol
