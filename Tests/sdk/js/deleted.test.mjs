// Deleted users (PR1): what the library and the page keep and show of them.
import assert from "node:assert/strict";
import test from "node:test";
import { People } from "../../../Sources/Server/Page/web/belfry/people.js";
import { userName } from "../../../Sources/Server/Page/web/page/format.js";

test("PR1: nothing is kept of a deleted user's profile", () => {
  const people = new People();
  people.learn({ id: "zoe", nickname: "Zoe", profile_url: "/z.png", metadata: { k: "v" }, online: true, last_seen_at: 5 });
  people.learn({ id: "zoe", is_deleted: true, is_active: false });
  assert.deepEqual(people.get("zoe"), { id: "zoe", is_deleted: true, is_active: false });
  // A later user with the same id is another one.
  people.learn({ id: "zoe", nickname: "Zoe II" });
  assert.deepEqual(people.get("zoe"), { id: "zoe", nickname: "Zoe II" });
});

test("PR1: a deleted author is shown without a name", () => {
  assert.equal(userName({ id: "deleted:1f3c9a0b77de4521", is_deleted: true }), "Deleted user");
  assert.equal(userName({ id: "ann", nickname: "Ann" }), "Ann");
});
