// What the first world of a page needs, told from the page's address and what its tab has kept, before the engine asks for it.
//
// A guess costs nothing but time: what is not named here is fetched when the engine asks for it, and what is named for nothing is not
// used. It knows names, and nothing of how they are fetched.

/** The word of a system in a run, or in a kept tab, whose quotes are escaped; deeper in it are the worlds that were left. */
const SYSTEM = /dialect\\?":\\?"([\w-]+)/g;
/** The addresses that a kept tab belongs to, see web/src/store/persist.rs. */
const ADDRESSES = /^\{"addresses":(\["(?:[^"\\]|\\.)*","(?:[^"\\]|\\.)*"\])/;
/** The example and the lesson of a kept tab, whose quotes are escaped. */
const EXAMPLE = /\{\\"about\\":.*?\\"example\\":\\"([\w-]+)\\"/s;
const LESSON = /\\"lesson\\":\{.*?\\"id\\":\\"([\w-]+)\\"/s;

/** The run in a link, as text: base64url of JSON that was deflated. */
async function run(link) {
  const packed = atob(link.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

/**
 * Gives the names of texts and the words of systems.
 *
 * @param {{ address: string, hash: string, example: string | null, lesson: string | null, language: string | null, tab: string }} first
 *   of the page: its address from the question mark on, the parts of it, and the tab as it was kept, or nothing
 * @param {{ first: string, texts: Record<string, string[]> }} known the first example; the words of systems by the name of each text
 */
export async function wanted(first, known) {
  const texts = new Set();
  const systems = new Set();
  const add = (name) => {
    if (!Object.hasOwn(known.texts, name)) return false;
    texts.add(name);
    for (const word of known.texts[name]) systems.add(word);
    return true;
  };
  const language = first.language ?? "en";
  const lesson = (id) => [language, language.split("-")[0], "en"].some((word) => add(`lesson-${id}-${word}`));
  const read = (text) => {
    for (const [, word] of text.matchAll(SYSTEM)) systems.add(word);
  };
  const addresses = ADDRESSES.exec(first.tab)?.[1];
  if (addresses && JSON.parse(addresses).includes(first.address)) {
    read(first.tab);
    add(`example-${EXAMPLE.exec(first.tab)?.[1]}`);
    lesson(LESSON.exec(first.tab)?.[1]);
    return { texts: [...texts], systems: [...systems] };
  }
  const [, course] = /^#lesson=([\w-]+)/.exec(first.hash) ?? [];
  const [, link] = /^#(?:.*&run=)?p1:([\w-]+)/.exec(first.hash) ?? [];
  if (course) lesson(course);
  if (link) await run(link).then(read, () => {});
  if (first.hash.length < 2 && first.lesson) lesson(first.lesson);
  else if (!add(`example-${first.example}`) && first.hash.length < 2) add(known.first);
  return { texts: [...texts], systems: [...systems] };
}
