/** Settings of the plugin. */
export interface PlanariumRemarkOptions {
  /** The planarium program; by default `PLANARIUM_BIN`, then the path. */
  program?: string;
  /** Raw HTML, or JSX for MDX; by default as the processor reads. */
  output?: "html" | "mdx" | "auto";
  /** Folder in which the files are that fences name; by default the page's. */
  root?: string;
}

/** Runs, checks and draws the fences ```planarium of a page. A false claim throws with file, line and what happened instead. */
export default function planarium(options?: PlanariumRemarkOptions): (tree: any, file: any) => void;
/** Writes script and styles into a folder that the site serves. */
export function assets(folder: string, options?: { program?: string }): void;
