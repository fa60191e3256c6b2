// The numbers behind the plots: `/metrics`, read every few seconds and kept for ten minutes.

const EVERY = 3_000;
const KEPT = 600_000;

/**
 * Parses the text format of Prometheus.
 * @param {string} text
 * @returns {Map<string, {labels: Record<string, string>, value: number}[]>} samples by the metric's name
 */
export function parseMetrics(text) {
  const samples = new Map();
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!match) continue;
    const labels = {};
    for (const [, name, value] of (match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      labels[name] = value.replace(/\\(.)/g, (_, one) => (one === "n" ? "\n" : one));
    }
    if (!samples.has(match[1])) samples.set(match[1], []);
    samples.get(match[1]).push({ labels, value: Number(match[3]) });
  }
  return samples;
}

/** Sums a metric over the labels that `fits` accepts. @returns {number | undefined} undefined if it has no sample */
export function sum(samples, name, fits = () => true) {
  const found = samples.get(name)?.filter(({ labels }) => fits(labels));
  return found?.length ? found.reduce((total, { value }) => total + value, 0) : undefined;
}

/** A value now. */
const gauge = (name) => (now) => sum(now, name);
/** A counter's increase per second. */
const rate = (name) => (now, before, seconds) => increase(now, before, name) / seconds;
/** The mean of a histogram since the last reading, in ms. Without new samples there is none. */
const mean = (name, fits) => (now, before) => {
  const count = increase(now, before, name + "_count", fits);
  return count > 0 ? (increase(now, before, name + "_sum", fits) / count) * 1_000 : undefined;
};
/** After a restart, a counter begins anew. Without an earlier reading, the increase is unknown. */
const increase = (now, before, name, fits) => before && Math.max(0, total(now, name, fits) - total(before, name, fits));
/** A counter with labels has no sample before the first event. */
const total = (samples, name, fits) => sum(samples, name, fits) ?? 0;
const queue = (test) => (labels) => test(labels.queue ?? "");

/** The plots: a title, a unit, and lines. */
export const PLOTS = [
  { title: "Messages", unit: "/s", lines: [["messages", rate("belfry_messages_total")]] },
  {
    title: "Commands",
    unit: "/s",
    lines: [
      ["executed or refused", rate("belfry_commands_total")],
      ["refused", rate("belfry_commands_refused_total")],
    ],
  },
  { title: "Errors", unit: "/s", lines: [["errors", rate("belfry_errors_total")]] },
  { title: "Deliveries", unit: "/s", lines: [["deliveries", rate("belfry_deliveries_total")]] },
  {
    title: "Lag",
    unit: "ms",
    lines: [
      ["chat", mean("belfry_queue_lag_seconds", queue((name) => name === "chat"))],
      ["journal", mean("belfry_queue_lag_seconds", queue((name) => name === "journal"))],
      ["loops", mean("belfry_queue_lag_seconds", queue((name) => name.startsWith("loop")))],
    ],
  },
  {
    title: "Connections",
    unit: "",
    lines: [
      ["connections", gauge("belfry_connections")],
      ["users online", gauge("belfry_users_online")],
    ],
  },
  { title: "Memory", unit: "MiB", lines: [["resident", (now) => sum(now, "process_resident_memory_bytes") / 1_048_576]] },
];

/**
 * Reads the metrics until closed. A change of the section keeps what was read.
 * @returns {{points: {at: number, values: number[][]}[], now: Map | null, ready: boolean | null, problem: string,
 *   on(fn: () => void): () => void, close(): void}} `values`: for each plot, one number per line, NaN for none
 */
export function seriesOf(api) {
  const listeners = new Set();
  let before = null;
  let timer = 0;
  let isOver = false;
  const series = {
    points: [],
    now: null,
    ready: null,
    problem: "",
    on(fn) {
      listeners.add(fn);
      return () => listeners.delete(fn);
    },
    close() {
      isOver = true;
      clearTimeout(timer);
    },
  };

  async function read() {
    try {
      const now = parseMetrics(await api.text("/metrics"));
      const at = Date.now();
      series.points.push({ at, values: valuesOf(now, before?.samples, (at - before?.at) / 1_000) });
      series.points = series.points.filter((point) => point.at > at - KEPT);
      before = { at, samples: now };
      series.now = now;
      series.ready = await isReady(api);
      series.problem = "";
    } catch (error) {
      series.problem = error.message;
      series.ready = null;
    }
    if (isOver) return;
    for (const fn of listeners) fn();
    timer = setTimeout(read, EVERY);
  }

  read();
  return series;
}

/** Only the server itself can say that it is not ready; a failed request says nothing. */
const isReady = (api) =>
  api.text("/readyz").then(() => true, (error) => {
    if (error.status === 503) return false;
    throw error;
  });

const valuesOf = (now, before, seconds) =>
  PLOTS.map(({ lines }) => lines.map(([, value]) => value(now, before, seconds) ?? NaN));
