// Packages as people have them: archives of a folder, and the files of a package in the editor.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { readChosen } from "../../web/js/page.js";
import { journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

const OPERATOR = `apiVersion: kudo.dev/v1beta1
name: packed
operatorVersion: "1.0.0"
kubernetesVersion: 1.16.0
tasks:
  - { name: config, kind: Apply, spec: { resources: [config.yaml] } }
plans:
  deploy:
    strategy: serial
    phases:
      - name: main
        strategy: serial
        steps:
          - { name: config, tasks: [config] }
`;
const CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Name }}-config\n";
const FILES = [
  ["operator.yaml", OPERATOR],
  ["params.yaml", "apiVersion: kudo.dev/v1beta1\nparameters: []\n"],
  ["templates/config.yaml", CONFIG],
];

function tarEntry(path, text, kind = "0") {
  const body = Buffer.from(text);
  const head = Buffer.alloc(512);
  head.write(path, 0);
  head.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
  head.write(kind, 156);
  head.write("ustar\0" + "00", 257);
  return Buffer.concat([head, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

const tar = (files) => Buffer.concat([...files.map((file) => tarEntry(...file)), Buffer.alloc(1024)]);

function zip(files, method = 8) {
  const [locals, central] = [[], []];
  let at = 0;
  for (const [path, text] of files) {
    const name = Buffer.from(path);
    const body = method === 8 ? deflateRawSync(text) : Buffer.from(text);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(body.length, 20);
    entry.writeUInt32LE(Buffer.byteLength(text), 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    central.push(entry, name);
    locals.push(local, name, body);
    at += 30 + name.length + body.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...central, end]);
}

const chosen = (name, bytes) => readChosen([new File([bytes], name)]);

test("archives are read as the folders that they were made of", async () => {
  const below = FILES.map(([path, text]) => [`./packed-1.0.0/${path}`, text]);
  const plain = below.map(([path, text]) => [path.slice(2), text]);
  assert.deepEqual(await chosen("packed-1.0.0.tgz", gzipSync(tar(FILES))), FILES);
  assert.deepEqual(await chosen("a.tar.gz", gzipSync(tar(below))), plain);
  assert.deepEqual(await chosen("a.tar", tar(FILES)), FILES);
  assert.deepEqual(await chosen("a.zip", zip(FILES)), FILES);
  assert.deepEqual(await chosen("a.ZIP", zip(below, 0)), plain);
  // Folders, pictures and what macOS adds are passed over; long names come before their file.
  const long = `templates/${"very-".repeat(30)}long.yaml`;
  const pax = `path=${long}\n`;
  const odd = [
    ["templates/", "", "5"],
    ["._operator.yaml", "x"],
    ["docs/picture.png", "\u0000"],
    ["././@LongLink", `${long}\0`, "L"],
    ["templates/very-", "one: 1\n"],
    ["PaxHeaders/x", `${pax.length + 4} ${pax}`, "x"],
    ["templates/very-", "two: 2\n"],
    ["operator.yaml", OPERATOR],
  ];
  const read = await chosen("a.tgz", gzipSync(tar(odd)));
  assert.deepEqual(read, [[long, "one: 1\n"], [long, "two: 2\n"], ["operator.yaml", OPERATOR]]);
});

test("what is no archive, or a broken one, says so", async () => {
  const whole = gzipSync(tar(FILES));
  for (const [name, bytes] of [
    ["a.tgz", Buffer.from("no archive")],
    ["a.tgz", whole.subarray(0, whole.length / 2)],
    ["a.tar", tar(FILES).subarray(0, 700)],
    ["a.zip", Buffer.from("no archive")],
    ["a.zip", zip(FILES).subarray(100)],
  ]) {
    await assert.rejects(chosen(name, bytes), /the archive is damaged/, name);
  }
  await assert.rejects(chosen("a.zip", zip(FILES, 12)), /packed in an unknown way/);
  await assert.rejects(chosen("a.tgz", gzipSync(Buffer.alloc(65_000_000, 1))), /too much|damaged/);
});

journey("a packed operator is opened, and its files are added, renamed and removed", {}, async ({ page, shot }) => {
  const on = playground(page);
  await page.getByRole("button", { name: "Open", exact: true }).first().click();
  const input = page.locator("input[type=file]").first();
  await input.setInputFiles({ name: "packed-1.0.0.tgz", mimeType: "application/gzip", buffer: gzipSync(tar(FILES)) });
  await on.play();
  await on.shows("deploy", "COMPLETE");
  const definition = page.getByRole("region", { name: "Definition" });
  for (const [path] of FILES) await definition.getByRole("tab", { name: path }).waitFor();
  await definition.getByRole("button", { name: "Add a file" }).click();
  await definition.getByRole("textbox", { name: "Name of the new file" }).fill("templates/more.yaml");
  await page.keyboard.press("Enter");
  await definition.getByRole("tab", { name: "templates/more.yaml" }).waitFor();
  await definition.getByRole("button", { name: "Rename templates/more.yaml" }).click();
  await definition.getByRole("textbox", { name: "New name of the file" }).fill("templates/other.yaml");
  await page.keyboard.press("Enter");
  await definition.getByRole("tab", { name: "templates/other.yaml" }).waitFor();
  await shot("package");
  await definition.getByRole("button", { name: "Remove templates/other.yaml" }).click();
  await soon(async () => assert.equal(await definition.getByRole("tab", { name: "templates/other.yaml" }).count(), 0));
});
