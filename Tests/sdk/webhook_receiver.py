"""A webhook receiver that is killed and restarted: `webhook_receiver.py PORT NOTES SEED`.

Each delivery is recorded before its response; some are refused, and some get no response.
"""

import http.server
import json
import random
import sys

PORT, NOTES, SEED = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
dice = random.Random(SEED)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        roll = dice.random()
        status = 0 if roll < 0.01 else 503 if roll < 0.03 else 200
        note = {"id": self.headers["webhook-id"], "status": status, "body": body}
        with open(NOTES, "a") as notes:
            notes.write(json.dumps(note) + "\n")
        if status:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self.close_connection = True

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", PORT), Handler)
print("ready", flush=True)
server.serve_forever()
