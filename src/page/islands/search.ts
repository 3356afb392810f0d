/** Searches while the user types. Without this script, the form's button searches. */

import { moveFocusByKeys } from "./search/keys.ts";
import { Questions } from "./search/questions.ts";

const form = document.querySelector<HTMLFormElement>("form#search");
if (form !== null) {
  const questions = new Questions(form);
  form.addEventListener("input", () => questions.askSoon());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    questions.askNow();
  });
  moveFocusByKeys(form);
}
