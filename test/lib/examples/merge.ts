import { lineOrigins, mergeMarkdown, mergeWithMarkers } from "mdmirror/merge";

const base = "# Plan\n\n- flour\n- milk\n";
const mine = "# Plan\n\n- flour, 1 kg\n- milk\n";
const theirs = "# Plan\n\n- flour\n- oat milk\n";

const merged = mergeMarkdown({ base, mine, theirs });
if (merged.kind === "conflict") throw new Error(merged.reason);
for (const { kind, from, line } of lineOrigins({ base, mine, theirs }, merged.text))
  if (kind === "added") console.log(from, line.trimEnd());

const other = "# Plan\n\n- flour, 2 kg\n- milk\n";
const met = mergeMarkdown({ base, mine, theirs: other });
if (met.kind === "conflict") console.log(met.reason, met.conflicts[0]?.mineLine);
console.log(mergeWithMarkers({ base, mine, theirs: other }).split("\n").length);
