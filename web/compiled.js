// A file of WebAssembly, compiled while it arrives.

/** Waits for a turn of its own, so that a click or a frame comes between. */
const turn = () =>
  new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });

/**
 * Compiles while the file arrives, and says how much of it is there. Each part that arrives has a turn of its own: a file that comes at once
 * would otherwise hold the page up until all of it is read.
 */
export async function compiled(url, progress = () => {}) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const reader = response.body.getReader();
  let bytes = 0;
  const arriving = new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        bytes += value.length;
        progress(bytes);
        controller.enqueue(value);
        await turn();
      },
    },
    { highWaterMark: 0 },
  );
  return WebAssembly.compileStreaming(new Response(arriving, { headers: { "content-type": "application/wasm" } }));
}
