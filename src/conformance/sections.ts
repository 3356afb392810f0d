import { accessCases, answerCases } from "./access-cases.ts";
import { contentCases } from "./content-cases.ts";
import { cursorCases, listCases } from "./list-cases.ts";
import { fileCases, fileWriteCases, linkCases, putCases } from "./file-cases.ts";
import { folderCases } from "./folder-cases.ts";
import { nameCases } from "./name-cases.ts";
import { regexSearchCases } from "./regex-search-cases.ts";
import { reviewCases } from "./review-cases.ts";
import { searchCases, structureCases } from "./search-cases.ts";
import type { ContractCase } from "./world.ts";

/**
 * Cases for each section of the contract, in the order of the sections (`src/contract/README.md`).
 */
export const CASES_BY_SECTION = {
  "paths-and-names": nameCases,
  limits: contentCases,
  "keys-and-access": accessCases,
  pagination: [...listCases, ...cursorCases],
  files: [...fileCases, ...fileWriteCases, ...putCases, ...linkCases],
  folders: folderCases,
  search: [...searchCases, ...regexSearchCases, ...structureCases],
  reviews: reviewCases,
  errors: answerCases,
} as const satisfies Readonly<Record<string, readonly ContractCase[]>>;

export type Section = keyof typeof CASES_BY_SECTION;
