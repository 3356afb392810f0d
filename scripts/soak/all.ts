/**
 * `npm run soak [-- --quick] [--rounds N] [--seed N] [--only NAME]… [--json FILE]`: injects real
 * faults into real processes, files and HTTP. Prints one table: fault, rounds, counts, and whether
 * the promises hold. Exit 1 if one does not.
 */
import { parseArgs } from "node:util";
import { saveResult } from "../results.ts";
import { FAULTS } from "./faults.ts";
import { type Row, formatTable } from "./row.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    seed: { type: "string", default: "1" },
    only: { type: "string", multiple: true },
    json: { type: "string" },
  },
});
const wanted = FAULTS.filter(({ name }) => values.only?.some((only) => name.startsWith(only)) ?? true);
if (wanted.length === 0) {
  console.error(`no such fault; there are: ${FAULTS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const rows: Row[] = [];
for (const fault of wanted) {
  const rounds = Number(values.rounds ?? (values.quick ? fault.quick : fault.rounds));
  const began = performance.now();
  rows.push(await fault.run({ rounds, seed: Number(values.seed) }));
  console.error(`${fault.name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
}
saveResult(values.json, { rows });
for (const line of formatTable(rows)) console.log(line);
const broken = rows.filter((row) => row.broken.length > 0).length;
console.log(broken === 0 ? `${rows.length} faults: all hold` : `${broken} of ${rows.length} faults are broken`);
process.exit(broken === 0 ? 0 : 1);
