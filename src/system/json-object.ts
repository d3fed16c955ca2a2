export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: no array, no null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a text is; null: another value, no JSON, or nested so deeply that the parser gave up. */
export function parseJsonObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
