import { count, formatAge, formatBytes, plural } from "../../common/quantities.ts";
import { type ChartBar, type ChartPanel, renderChart } from "../../page/charts.ts";
import { withQuery } from "../../page/addresses.ts";
import { type Html, html } from "../../page/html.ts";
import { renderBanner, renderSegments } from "../../page/parts.ts";
import type { ServiceFigures } from "../service.ts";
import type { RequestSpan, RouteCount } from "../http/metrics.ts";
import { APP_ADDRESS, REVIEWS_ADDRESS } from "./addresses.ts";
import { makePage, type PageResult } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { formatClock, formatDayTime, REFRESH_MS } from "./parts.ts";
import { renderWorkspaces } from "./workspaces.ts";

/** Time windows of the charts. `minutes`: minutes of one bar; `count`: number of bars. */
const CHART_WINDOWS = {
  hour: { label: "Last hour", within: "in the last hour", minutes: 1, count: 60, timeOf: formatClock },
  day: { label: "Last day", within: "in the last day", minutes: 30, count: 48, timeOf: formatDayTime },
} as const;
type ChartWindow = keyof typeof CHART_WINDOWS;

const MINUTE_MS = 60_000;

export async function showOverview(call: PageCall): Promise<PageResult> {
  const { core, operation, query } = call;
  const workspaces = await core.admin.workspaces();
  const figures = await operation.figures();
  const shownWindow: ChartWindow = query.get("span") === "day" ? "day" : "hour";
  const spans = operation.metrics.history.spans(CHART_WINDOWS[shownWindow]);
  const windows = Object.entries(CHART_WINDOWS).map(([name, { label }]) => {
    return { href: `${withQuery(APP_ADDRESS, { span: name })}#figures`, label, isShown: name === shownWindow };
  });
  const openReviews = workspaces.reduce((sum, { inReview }) => sum + inReview, 0);
  return makePage({
    title: `${openReviews === 0 ? "" : `(${count(openReviews)}) `}Overview`,
    refreshMs: REFRESH_MS,
    main: html`${renderHealthBanner(openReviews, { figures, spans, within: CHART_WINDOWS[shownWindow].within, uptimeMs: operation.metrics.uptimeMs() })}
${renderWorkspaces(workspaces, call.csrf)}
<div class="title" id="figures"><div><h2>How the service runs</h2><p class="hint">Times in UTC</p></div>${renderSegments("Time shown", windows)}</div>
<div class="panels">${renderPanels(spans, figures, shownWindow)}</div>
${renderRoutes(operation.metrics.routes())}`,
  });
}

type ServiceHealth = {
  readonly figures: ServiceFigures | null;
  readonly spans: readonly RequestSpan[];
  /** The time that the charts show, in words, such as "in the last hour". */
  readonly within: string;
  readonly uptimeMs: number;
};

function renderHealthBanner(waiting: number, { figures, spans, within, uptimeMs }: ServiceHealth): Html {
  const failedCount = sumSpans(spans, (span) => span.failed);
  const facts = [
    `Running for ${formatAge(uptimeMs)}`,
    `${failedCount === 0 ? "No failed requests" : plural(failedCount, "failed request")} ${within}`,
  ];
  const indexingCount = figures?.database?.indexing ?? 0;
  if (indexingCount > 0) facts.push(`${plural(indexingCount, "change")} not in the search index yet`);
  const detail = `${facts.join(". ")}.`;
  if (figures !== null && figures.database === null) return renderBanner("bad", "The database does not answer", detail);
  if (waiting === 0) return renderBanner("good", "No reviews to decide", detail);
  const reviewsLink = html`<a class="button main-action" href="${REVIEWS_ADDRESS}">Open reviews</a>`;
  return renderBanner("asks", `${plural(waiting, "review")} to decide`, detail, reviewsLink);
}

function renderPanels(spans: readonly RequestSpan[], figures: ServiceFigures | null, shown: ChartWindow): Html[] {
  const { minutes, timeOf } = CHART_WINDOWS[shown];
  const times = [timeOf(spans[0]!.at), timeOf(spans.at(-1)!.at + minutes * MINUTE_MS)] as const;
  return [
    makeRequestsPanel(spans),
    makeErrorsPanel(spans),
    makeLatencyPanel(spans),
    makeGaugePanel("Documents", spans, ({ database }) => database?.documents ?? null, figures, count),
    makeGaugePanel("Size of the database", spans, ({ database }) => database?.bytes ?? null, figures, formatBytes),
    makeGaugePanel("Listeners", spans, ({ listeners }) => listeners, figures, count),
  ].map((panel) => renderChart(panel, times));
}

function sumSpans(spans: readonly RequestSpan[], of: (span: RequestSpan) => number): number {
  return spans.reduce((total, span) => total + of(span), 0);
}

function countRequests({ answered, refused, failed }: RequestSpan): number {
  return answered + refused + failed;
}

function makeRequestsPanel(spans: readonly RequestSpan[]): ChartPanel {
  const bars = spans.map(
    (span): ChartBar => ({ value: countRequests(span), title: makeTitle(span, count(countRequests(span))) }),
  );
  const detail = "including those of these pages";
  return { title: "Requests", value: count(sumSpans(spans, countRequests)), detail, bars, textOf: count };
}

function makeErrorsPanel(spans: readonly RequestSpan[]): ChartPanel {
  const [failed, refused] = [sumSpans(spans, (span) => span.failed), sumSpans(spans, (span) => span.refused)];
  const bars = spans.map((span): ChartBar => {
    const title = makeTitle(span, `${count(span.failed)} failed, ${count(span.refused)} refused`);
    return { value: span.failed + span.refused, part: span.failed, title };
  });
  const detail = `${count(failed)} failed in the service · ${count(refused)} refused`;
  const legend = { fill: "failed", outline: "refused, such as with a wrong key" };
  return { title: "Errors", value: count(failed), detail, legend, bars, textOf: count };
}

function makeLatencyPanel(spans: readonly RequestSpan[]): ChartPanel {
  const bars = spans.map(({ at, median, p95 }): ChartBar => {
    const title =
      median === null
        ? formatClock(at)
        : `${formatClock(at)}: half under ${formatMs(median)}, 95 % under ${formatMs(p95!)}`;
    return { value: p95, part: median, title };
  });
  const latestSpan = spans.findLast(({ p95 }) => p95 !== null);
  const [median, p95] = [formatMs(latestSpan?.median ?? null), formatMs(latestSpan?.p95 ?? null)];
  return {
    title: "Latency",
    value: p95,
    detail: `95 % under ${p95} · half under ${median}`,
    legend: { fill: "half of the requests", outline: "95 %" },
    bars,
    textOf: (ms) => formatMs(ms === 0 ? null : ms),
  };
}

function formatMs(ms: number | null): string {
  if (ms === null) return "–";
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** @param current current figures; null if they are not known */
function makeGaugePanel(
  title: string,
  spans: readonly RequestSpan[],
  read: (figures: ServiceFigures) => number | null,
  current: ServiceFigures | null,
  textOf: (value: number) => string,
): ChartPanel {
  const currentValue = current && read(current);
  // A span without figures gets the value of the span before it. The last span gets the current
  // value.
  let lastValue: number | null = null;
  const values = spans.map(({ figures }, i) => {
    lastValue = (i === spans.length - 1 ? currentValue : figures && read(figures)) ?? lastValue;
    return lastValue;
  });
  const bars = spans.map((span, i): ChartBar => {
    const value = values[i]!;
    return { value, title: makeTitle(span, value === null ? "not known" : textOf(value)) };
  });
  return { title, value: currentValue === null ? "–" : textOf(currentValue), detail: "now", bars, textOf };
}

function makeTitle({ at }: RequestSpan, words: string): string {
  return `${formatClock(at)}: ${words}`;
}

/**
 * LIMIT: number of routes that the page shows, so that the page stays small. The other routes have
 * fewer requests.
 */
const MAX_ROUTES = 20;

function renderRoutes(counts: readonly RouteCount[]): Html {
  const routes = [...Map.groupBy(counts, ({ route }) => route)].map(([route, answers]) => {
    const countAnswers = (from: number, to: number) =>
      answers.reduce((all, { code, count: n }) => (code >= from && code < to ? all + n : all), 0);
    return { route, all: countAnswers(0, 1_000), refused: countAnswers(400, 500), failed: countAnswers(500, 1_000) };
  });
  const rows = routes.toSorted((a, b) => b.all - a.all).slice(0, MAX_ROUTES);
  return html`<details class="card"><summary>Requests since the start, by operation</summary><table class="table narrow"><thead><tr>
<th scope="col">Operation</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Refused</th><th scope="col" class="number">Failed</th></tr></thead>
<tbody>${rows.map(
    ({ route, all, refused, failed }) =>
      html`<tr><th scope="row"><code>${route}</code></th><td class="number">${count(all)}</td><td class="number">${count(refused)}</td><td class="number">${count(failed)}</td></tr>`,
  )}</tbody></table></details>`;
}
