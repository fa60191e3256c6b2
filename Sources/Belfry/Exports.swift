// What the public interface is made of: requests and responses of HTTP, the shapes of commands and events, the table of
// error codes. One import is enough for a program that embeds the server.
@_exported import ChatModel
@_exported import HTTPTypes
@_exported import WireProtocol
