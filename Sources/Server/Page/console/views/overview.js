// The server at a glance: health and plots, and with a key also queues and nodes.

import { PLOTS, sum } from "../metrics.js";
import { block, facts, loaded, sectionView, table } from "../parts.js";
import { numberText, plotView } from "../plot.js";
import { button } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";
import { durationText } from "../../page/format.js";

/** @param {import("../app.js").Console} app */
export function overviewView(app) {
  const status = h("p", { role: "status" });
  const numbers = h("div");
  const health = h("div", { class: "health" }, status, numbers);
  const plots = PLOTS.map(plotView);
  const details = h("div", { class: "details" });

  function draw() {
    const { points, now } = app.series;
    showHealth(status, app.series);
    fill(numbers, now && figures(now));
    plots.forEach((plot, index) => plot.draw(points.map(({ at, values }) => ({ at, values: values[index] }))));
  }

  const refresh = () => fill(details, queues(app), app.session.is_clustered && nodes(app));
  if (app.has("read")) refresh();
  draw();
  const off = app.series.on(draw);
  const element = sectionView(
    app,
    { title: "Overview", actions: app.has("read") ? [button("Refresh", refresh, { small: true })] : [] },
    health,
    block("The last ten minutes", h("div", { class: "plots" }, plots.map((plot) => plot.element))),
    details,
    !app.session && h("p", { class: "hint" }, "Sign in with a server key to see more."),
  );
  return { element, close: off };
}

/** Changes the line only if its text changes, because screen readers announce every change. */
function showHealth(status, { ready, problem }) {
  const [look, text] =
    ready === null
      ? problem ? ["danger", problem] : ["", "Asking the server…"]
      : ready ? ["accent", "Ready"] : ["danger", "Not ready: clients are refused"];
  if (status.textContent === text) return;
  const props = { class: ["tag", look], "data-health": ready === null ? "unknown" : String(ready) };
  fill(status, h("strong", props, text));
}

function figures(now) {
  const build = now.get("belfry_build_info")?.[0]?.labels;
  const started = sum(now, "process_start_time_seconds");
  const count = (name) => numberText(sum(now, name) ?? NaN);
  const free = sum(now, "belfry_disk_free_bytes");
  return facts([
    ["Version", build && `${build.version} (${build.commit})`],
    ["Running for", started && durationText(Math.max(1, Date.now() / 1_000 - started))],
    ["Users", count("belfry_users")],
    ["Channels", count("belfry_channels")],
    ["Guests", count("belfry_guests")],
    ["Disk free", free !== undefined && `${numberText(free / 1_073_741_824)} GiB`],
    ["Errors since the start", count("belfry_errors_total")],
  ]);
}

const milliseconds = (seconds) => (seconds === undefined ? "–" : `${numberText(seconds * 1_000)} ms`);

function queues(app) {
  return block("Queues", loaded(app.api.get("/queues"), ({ queues, webhooks }) => [
    table("Queues", ["Queue", "Waiting", "Median lag", "99th percentile"],
      queues.map((one) => [
        one.queue, one.length, milliseconds(one.lag_seconds.p50), milliseconds(one.lag_seconds.p99),
      ])),
    webhooks.length > 0 &&
      table("Webhooks", ["Webhook", "Waiting", "Failed attempts", "Dead letters"],
        webhooks.map((one) => [one.webhook, one.pending, one.attempts, one.dead_letters])),
  ]));
}

const nodeRow = ({ name, role, address, version }, state) => [name, role, address, version, state];

function nodes(app) {
  return block("Nodes", loaded(app.api.get("/cluster"), (status) => [
    table("Nodes", ["Node", "Role", "Address", "Version", "State"], [
      nodeRow({ ...status, name: `${status.node} (this one)` }, status.is_ready ? "ready" : "not ready"),
      ...status.nodes.map((node) => nodeRow(node, node.is_live ? "live" : "silent")),
    ]),
    status.problems.map((problem) => h("p", { class: "problem" }, problem)),
  ]));
}
