// Texts of examples and lessons: a file for each, which is fetched when it is first needed.

async function content(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.text();
}

/**
 * Gives what fetches a file by its name. Each comes once; one that did not come is fetched again when it is next asked for.
 *
 * @param {string} pattern the address of a file, with a star for its name
 * @param {(url: string) => Promise<string>} [load]
 */
export function textFiles(pattern, load = content) {
  const known = new Map();
  return (name) => {
    if (!known.has(name)) {
      const text = load(pattern.replace("*", name));
      known.set(name, text);
      text.catch(() => known.delete(name));
    }
    return known.get(name);
  };
}
