/** Draws bar charts as inline SVG. A reader can understand the charts without colours. */

import { type Html, html } from "./html.ts";

/**
 * A bar. `value`: height of the bar; null if unknown. `part`: height of the lower part of the bar,
 * which is filled; the rest of the bar is outlined. Null if the whole bar is filled.
 */
export type ChartBar = { readonly value: number | null; readonly part?: number | null; readonly title: string };

export type ChartPanel = {
  readonly title: string;
  /** Summary of all bars, which the page shows in large type. */
  readonly value: string;
  readonly detail: string;
  /** Meanings of the filled and the outlined part of a bar; null if all bars are filled. */
  readonly legend?: { readonly fill: string; readonly outline: string } | null;
  readonly bars: readonly ChartBar[];
  readonly textOf: (value: number) => string;
};

/** Height of the drawing in units of the SVG. The page stretches the width. */
const CHART_HEIGHT = 40;
const BAR_STEP = 10;
const BAR_WIDTH = 8;

/** @param times labels for the time of the first and of the last bar */
export function renderChart(
  { title, value, detail, legend = null, bars, textOf }: ChartPanel,
  times: readonly [string, string],
): Html {
  const largestValue = Math.max(0, ...bars.map((bar) => bar.value ?? 0));
  const largestText = textOf(largestValue);
  return html`<section class="card"><h2>${title}</h2><p class="figure">${value}</p><p class="hint">${detail}</p>
<div class="plot hint">${legend !== null && html`<p class="row legend"><span class="fill">${legend.fill}</span> <span class="outline">${legend.outline}</span></p>`}<span aria-hidden="true">${largestText}</span>
<svg viewBox="0 0 ${bars.length * BAR_STEP} ${CHART_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${`${title} from ${times[0]} to ${times[1]}, ${largestText} at most`}">${drawBars(bars, Math.max(1, largestValue))}</svg>
<span class="row apart" aria-hidden="true"><span>${times[0]}</span><span>${times[1]}</span></span></div></section>`;
}

function drawBars(bars: readonly ChartBar[], most: number): Html[] {
  const toHeight = (value: number) => (value === 0 ? 0 : Math.max(1.5, (value / most) * (CHART_HEIGHT - 1)));
  return bars.map(({ value, part = null, title }, i) => {
    if (value === null || value === 0) return drawBar("none", i, 0.5, title);
    const outerHeight = toHeight(value);
    const innerHeight = part === null ? outerHeight : toHeight(part);
    return html`${outerHeight > innerHeight && drawBar("outline", i, outerHeight, title)}${innerHeight > 0 && drawBar("fill", i, innerHeight, title)}`;
  });
}

function drawBar(kind: "none" | "outline" | "fill", index: number, height: number, title: string): Html {
  const roundedHeight = Math.round(height * 10) / 10;
  return html`<rect class="${kind}" x="${index * BAR_STEP + 1}" y="${Math.round((CHART_HEIGHT - roundedHeight) * 10) / 10}" width="${BAR_WIDTH}" height="${roundedHeight}"><title>${title}</title></rect>`;
}
