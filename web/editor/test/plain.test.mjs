// The parts of the editor that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toLint } from "../src/diagnostics.js";
import { difference } from "../src/difference.js";

const apply = (text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to);

test("a difference makes one text of the other and touches no more than needed", () => {
  const cases = [
    ["", "", 0],
    ["", "abc", 0],
    ["abc", "", 3],
    ["abc", "abc", 0],
    ["a: 1\nb: 2\n", "a: 1\nb: 3\n", 1],
    ["aaa", "aa", 1],
    ["aa", "aaa", 0],
    ["one two", "one and two", 0],
  ];
  for (const [before, after, removed] of cases) {
    const change = difference(before, after);
    assert.equal(apply(before, change), after, `${before} -> ${after}`);
    assert.equal(change.to - change.from, removed, `${before} -> ${after}`);
  }
});

test("a difference never cuts a character in two", () => {
  // U+1F600 and U+1F601 share their first unit; U+1F600 and U+1FA00 share their second.
  for (const [before, after] of [
    ["x\u{1F600}y", "x\u{1F601}y"],
    ["x\u{1F600}y", "x\u{1FA00}y"],
  ]) {
    const change = difference(before, after);
    assert.equal(apply(before, change), after);
    assert.deepEqual(change, { from: 1, to: 3, insert: after.slice(1, 3) });
  }
});

test("findings are put inside the text, in order, with a severity that exists", () => {
  const found = toLint(
    [
      { from: 8, to: 99, severity: "fatal", message: "late" },
      { from: 4, to: 2, severity: "warning", code: "SDK001", message: "turned round", help: "turn it back" },
      { from: -3, to: 1, severity: "hint", message: "early", fix: { title: "Mend", insert: "x" } },
    ],
    10,
  );
  assert.deepEqual(
    found.map(({ from, to, severity, source, message }) => [from, to, severity, source, message]),
    [
      [0, 1, "hint", undefined, "early"],
      [4, 4, "warning", "SDK001", "turned round\nturn it back"],
      [8, 10, "error", undefined, "late"],
    ],
  );
  assert.deepEqual(found.map(({ actions }) => actions.map(({ name }) => name)), [["Mend"], [], []]);
});

test("a fix replaces its own range where it has one, and the marked range where it has none", () => {
  const changes = [];
  const view = { state: { doc: { length: 10 } }, dispatch: ({ changes: change }) => changes.push(change) };
  const fixes = [{ insert: "a" }, { from: 1, to: 3, insert: "b" }, { from: 9, to: 50, insert: "c" }];
  for (const fix of fixes) {
    const [{ actions }] = toLint([{ from: 4, to: 6, severity: "error", message: "m", fix }], 10);
    actions[0].apply(view, 4, 6);
    // A character was typed before the marked range since the text was read.
    actions[0].apply(view, 5, 7);
  }
  assert.deepEqual(changes, [
    { from: 4, to: 6, insert: "a" },
    { from: 5, to: 7, insert: "a" },
    { from: 1, to: 3, insert: "b" },
    { from: 2, to: 4, insert: "b" },
    { from: 9, to: 10, insert: "c" },
    { from: 10, to: 10, insert: "c" },
  ]);
});
