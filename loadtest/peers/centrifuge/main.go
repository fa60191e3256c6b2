// The centrifuge library, which Centrifugo is built on: clients subscribe to their room and publish in it, with the
// library's own protocol (version 1) at /connection/websocket.
//
//	centrifuge PORT
//
// Everyone may do everything, nothing is kept, and the broker is the one in memory.
package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/centrifugal/centrifuge"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: centrifuge PORT")
	}
	node, err := centrifuge.New(centrifuge.DefaultConfig)
	if err != nil {
		log.Fatal(err)
	}
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{Credentials: &centrifuge.Credentials{}}, nil
	})
	node.OnConnect(func(client *centrifuge.Client) {
		client.OnSubscribe(func(_ centrifuge.SubscribeEvent, reply centrifuge.SubscribeCallback) {
			reply(centrifuge.SubscribeReply{}, nil)
		})
		client.OnPublish(func(_ centrifuge.PublishEvent, reply centrifuge.PublishCallback) {
			reply(centrifuge.PublishReply{}, nil)
		})
	})
	if err := node.Run(); err != nil {
		log.Fatal(err)
	}
	http.Handle("/connection/websocket", centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{}))
	log.Fatal(http.ListenAndServe(net.JoinHostPort("127.0.0.1", os.Args[1]), nil))
}
