// The console's functions that need no document.

import assert from "node:assert/strict";
import { register } from "node:module";
import test from "node:test";

// The server puts the console's files beside those of the page; in the sources, they are in separate folders.
const root = new URL("../../../Sources/Server/Page/", import.meta.url);
register("data:text/javascript," + encodeURIComponent(`
export const resolve = (specifier, context, next) =>
  next(specifier.replace(/^(\\.\\.\\/)+page\\//, ${JSON.stringify(new URL("web/page/", root).href)}), context);
`));
const load = (path) => import(new URL(`console/${path}.js`, root));
const { findRow } = await load("api");
const { numberOf } = await load("ask");
const { parseMetrics, PLOTS, sum } = await load("metrics");
const { whenText } = await load("parts");
const { numberText, roundUp } = await load("plot");
const { parseRoute, paths } = await load("router");
const { valueText } = await load("views/settings");

const DAY = 86_400_000;
const noon = new Date(2026, 5, 15, 12).getTime();

test("AD1: a time after today is shown with its date, an earlier one as short as possible", () => {
  assert.doesNotMatch(whenText(noon + 3_600_000, noon), /2026/);
  assert.match(whenText(noon + DAY, noon), /2026/);
  assert.match(whenText(noon + 7 * DAY, noon), /2026/);
  assert.match(whenText(noon - DAY, noon), /^Yesterday, /);
  assert.match(whenText(noon - 400 * DAY, noon), /2025/);
});

test("AD1: an empty number field is refused", () => {
  const field = (value) => numberOf({ value });
  assert.deepEqual([field("0"), field(" 12 "), field("-1")], [0, 12, -1]);
  for (const value of ["", " ", "x", "1e999"]) assert.throws(() => field(value), { message: "Enter a number first." });
});

test("AD1: a search stops at the row, at the end, and at the last page allowed, which it reports", async () => {
  const asked = [];
  const caller = (pages) => ({
    async call(command, data) {
      asked.push(data);
      const at = Number(data.next ?? 0);
      return { rows: [{ id: at }], ...(at + 1 < pages && { next: String(at + 1) }) };
    },
  });
  const find = (id, pages, options) => findRow(caller(pages), "list", "rows", (row) => row.id === id, options);
  assert.deepEqual(await find(1, 5), { row: { id: 1 }, isCut: false });
  assert.deepEqual(asked.splice(0), [{ limit: 100 }, { limit: 100, next: "1" }]);
  assert.deepEqual(await find(9, 3), { row: undefined, isCut: false });
  assert.deepEqual(await find(3, 9, { most: 3 }), { isCut: true });
  assert.deepEqual(await find(2, 3, { most: 3 }), { row: { id: 2 }, isCut: false });
  assert.equal(asked.splice(0).length, 9);
});

test("AD1: metrics are parsed with their labels, and summed over them", () => {
  const samples = parseMetrics(
    '# HELP a\n# TYPE a counter\na 3\nb{code="1",text="x\\"y\\\\z\\n"} 2\nb{code="2"} 1.5e1\nc_sum{queue="loop.0"} +Inf\nbroken\n');
  assert.deepEqual([sum(samples, "a"), sum(samples, "b"), sum(samples, "none")], [3, 17, undefined]);
  assert.equal(sum(samples, "b", ({ code }) => code === "2"), 15);
  assert.deepEqual(samples.get("b")[0].labels, { code: "1", text: 'x"y\\z\n' });
});

test("AD1: a counter without samples counts as 0, and a restart never gives a negative rate", () => {
  const [, errors] = PLOTS.find(({ title }) => title === "Errors").lines[0];
  const reading = (text) => parseMetrics(text);
  const some = reading('belfry_errors_total{code="101"} 6\nbelfry_errors_total{code="107"} 4\n');
  assert.equal(errors(some, reading(""), 5), 2);
  assert.equal(errors(reading(""), reading(""), 5), 0);
  assert.equal(errors(reading(""), some, 5), 0);
  assert.ok(Number.isNaN(errors(some, undefined, NaN)));
});

test("AD1: a plot's ceiling and its numbers are round", () => {
  assert.deepEqual([0, NaN, 0.3, 1, 1.1, 7, 23, 101].map(roundUp), [1, 1, 0.5, 1, 2, 10, 50, 200]);
  assert.deepEqual([NaN, 0, 1.234, 12.34, 123.4, 12_345].map(numberText), ["–", "0", "1.23", "12.3", "123", "12.3K"]);
});

test("AD1: a path leads back to its parts, whatever characters the ids have", () => {
  const id = "a/b #ä%\ud800";
  assert.deepEqual(parseRoute("#" + paths.user(id)), { name: "users", parts: [id.toWellFormed()], path: paths.user(id) });
  assert.deepEqual(parseRoute("#" + paths.message("c", "m")).parts, ["c", "messages", "m"]);
  for (const hash of ["", "#", "#/", "#x", "#/%"]) assert.equal(parseRoute(hash).name, "menu", hash);
});

test("AD1: a list that the embedding program set is not shown as missing", () => {
  assert.equal(valueText({ origin: "default" }), "not set");
  assert.equal(valueText({ origin: "program" }), "set, not shown");
  assert.deepEqual([false, 0, ""].map((value) => valueText({ origin: "file", value })), ["false", "0", ""]);
});
