// A small line plot in SVG: the last ten minutes, with the current and the highest value as text.

import { fill, h, svg } from "../page/dom.js";

const WIDTH = 300;
const HEIGHT = 80;
const SPAN = 600_000;
/** A longer pause between two points is a gap in the line. */
const GAP = 15_000;

/** @param {number} value */
export function numberText(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 10_000) return Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(value);
  return Intl.NumberFormat("en", { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 2 }).format(value);
}

/** Returns the smallest of 1, 2, 5, 10, 20, … that is at least the value. */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

/**
 * @param {{title: string, unit: string, lines: [string, Function][]}} plot see metrics.js
 * @returns {{element: HTMLElement, draw(points: {at: number, values: number[]}[]): void}}
 */
export function plotView({ title, unit, lines }) {
  const drawing = svg("svg", { class: "plot-lines", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" });
  drawing.setAttribute("role", "img");
  const legend = h("ul", { class: "plot-legend" });
  const top = h("span", { class: "plot-top", "aria-hidden": "true" });
  const element = h(
    "figure",
    { class: "plot", "data-plot": title },
    h("figcaption", { class: "plot-title" }, title, top),
    drawing,
    legend,
  );
  const withUnit = (value) => numberText(value) + (unit && Number.isFinite(value) ? ` ${unit}` : "");

  function draw(points) {
    const end = points.at(-1)?.at ?? Date.now();
    const all = points.flatMap(({ values }) => values).filter(Number.isFinite);
    const ceiling = roundUp(Math.max(0, ...all));
    const x = (at) => (WIDTH * (at - end + SPAN)) / SPAN;
    const y = (value) => HEIGHT - 2 - ((HEIGHT - 4) * value) / ceiling;
    const drawn = lines.map((_, index) => {
      let d = "";
      let last = -Infinity;
      for (const { at, values } of points) {
        if (!Number.isFinite(values[index])) continue;
        d += `${at - last > GAP ? "M" : "L"}${x(at).toFixed(1)} ${y(values[index]).toFixed(1)}`;
        last = at;
      }
      return svg("path", { class: `plot-line line-${index}`, d });
    });
    drawing.replaceChildren(svg("path", { class: "plot-floor", d: `M0 ${HEIGHT - 1}H${WIDTH}` }), ...drawn);
    top.textContent = `0 to ${withUnit(ceiling)}`;
    const rows = lines.map(([name], index) => {
      const values = points.map((point) => point.values[index]).filter(Number.isFinite);
      return { name, now: values.at(-1) ?? NaN, most: Math.max(...values) };
    });
    const said = rows.map(({ name, now, most }) => `${name} ${withUnit(now)}, at most ${withUnit(most)}`).join("; ");
    drawing.setAttribute("aria-label", `${title} in the last ten minutes: ${said}`);
    fill(
      legend,
      rows.map(({ name, now }, index) =>
        h("li", null, h("span", { class: `plot-key line-${index}`, "aria-hidden": "true" }), name, " ",
          h("strong", null, withUnit(now))),
      ),
    );
  }

  draw([]);
  return { element, draw };
}
