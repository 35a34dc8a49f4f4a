// What this document's policy has refused: directives and addresses.
const refusals = [];
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => refusals.push(`${effectiveDirective} ${blockedURI}`));

/** The refusal of what an origin was asked for, as an error. */
export const refusal = (kind, origin) => {
  const asked = `${kind} ${origin}`;
  return refusals.some((one) => one.startsWith(asked)) && new Error(`this document's policy does not allow it (${asked})`);
};
