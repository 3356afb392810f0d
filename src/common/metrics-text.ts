/** A metric in the text format 0.0.4 of Prometheus: a HELP line, a TYPE line, then the samples. */

export type Metric = {
  /**
   * Name of the metric, `[a-z_]+`. The name ends with the unit, or with `_total` if the value never
   * decreases.
   */
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly samples: readonly MetricSample[];
};

export type MetricSample = {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** End of the sample's name in a histogram: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
};

/** Formats metrics as lines. A metric without samples gets no lines. */
export function formatMetrics(metrics: readonly Metric[]): string {
  const lines = metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(
        ({ labels, value, suffix = "" }) => `${name}${suffix}${formatLabels(labels)} ${formatValue(value)}`,
      ),
    ]);
  return `${lines.join("\n")}\n`;
}

function formatLabels(labels: MetricSample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function formatValue(value: number): string {
  return value === Number.POSITIVE_INFINITY ? "+Inf" : String(value);
}
