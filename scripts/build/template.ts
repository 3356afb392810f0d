/**
 * Fills the places `{{NAME}}` of a template.
 * @param form the value as the template's language writes it
 * @throws for a place that `fields` does not fill
 */
export function fillTemplate(
  template: string,
  fields: Readonly<Record<string, string>>,
  form: (value: string) => string = (value) => value,
): string {
  return template.replace(/\{\{([A-Z0-9]+)\}\}/g, (place, name: string) => {
    const value = fields[name];
    if (value === undefined) throw new Error(`nothing fills ${place}`);
    return form(value);
  });
}
