// Re-exports the types in the public interface: HTTP requests and responses, commands, events and error codes. A
// program that embeds the server needs only one import.
@_exported import ChatModel
@_exported import HTTPTypes
@_exported import WireProtocol
