import { accessTests } from "./access-tests.ts";
import { adminSettingsTests } from "./admin-settings-tests.ts";
import { adminTests } from "./admin-tests.ts";
import { contentTests } from "./content-tests.ts";
import { cursorTests } from "./cursor-tests.ts";
import { eventTests } from "./event-tests.ts";
import { fileTests } from "./file-tests.ts";
import { fileWriteTests } from "./file-write-tests.ts";
import { folderTests } from "./folder-tests.ts";
import { grantTests } from "./grant-tests.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { keptGrantTests } from "./kept-grant-tests.ts";
import { linkTests } from "./link-tests.ts";
import { listTests } from "./list-tests.ts";
import { nameTests } from "./name-tests.ts";
import { putTests } from "./put-tests.ts";
import { regexSearchTests } from "./regex-search-tests.ts";
import { searchTests } from "./search-tests.ts";
import { structureTests } from "./structure-tests.ts";
import type { ContractTest } from "./world.ts";

/** Every test of the contract, for whatever runs them. */
export const CONTRACT: readonly ContractTest[] = [
  ...accessTests,
  ...nameTests,
  ...listTests,
  ...cursorTests,
  ...fileTests,
  ...contentTests,
  ...fileWriteTests,
  ...putTests,
  ...folderTests,
  ...grantTests,
  ...keptGrantTests,
  ...hiddenTests,
  ...adminTests,
  ...adminSettingsTests,
  ...searchTests,
  ...regexSearchTests,
  ...structureTests,
  ...linkTests,
  ...eventTests,
];
