import { CASES_BY_SECTION } from "../../../src/conformance/sections.ts";
import { accessTests } from "./access-tests.ts";
import { adminSettingsTests, adminTests } from "./admin-tests.ts";
import { grantTests, keptGrantTests } from "./grant-tests.ts";
import { hiddenSearchTests, hiddenTests } from "./hidden-tests.ts";
import type { ContractTest } from "./world.ts";

/** Every test of the contract: the cases that are part of mdmirror, and those that need /admin. */
export const CONTRACT: readonly ContractTest[] = [
  ...Object.values(CASES_BY_SECTION)
    .flat()
    .map(({ title, run }) => ({ title, needs: null, run })),
  ...accessTests,
  ...grantTests,
  ...keptGrantTests,
  ...hiddenTests,
  ...hiddenSearchTests,
  ...adminTests,
  ...adminSettingsTests,
];
