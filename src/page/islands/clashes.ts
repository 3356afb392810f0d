/**
 * Counts the clashes that are decided, and shows the preview on the same page. Without this script,
 * the server counts, and the preview is a new page.
 */

function show(form: HTMLFormElement): void {
  const shown = document.getElementById("decided");
  if (shown === null) return;
  const decided = form.querySelectorAll("input[type=radio]:checked").length;
  shown.textContent = `${decided} of ${shown.dataset["of"]} decided`;
}

async function preview(form: HTMLFormElement): Promise<void> {
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  body.set("way", "preview");
  const answer = await fetch(form.action, { method: "POST", body });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [fresh, old] = [page.getElementById("preview"), document.getElementById("preview")];
  if (fresh === null || old === null) return;
  old.replaceWith(fresh);
  fresh.scrollIntoView({ block: "nearest" });
}

document.addEventListener("change", ({ target }) => {
  const form = (target as HTMLElement).closest<HTMLFormElement>("#texts form");
  if (form !== null) show(form);
});
document.addEventListener("submit", (event) => {
  const { submitter, target } = event;
  if (!(submitter instanceof HTMLButtonElement && submitter.value === "preview")) return;
  event.preventDefault();
  void preview(target as HTMLFormElement);
});
