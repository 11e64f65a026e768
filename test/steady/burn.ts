// Keeps a core busy until the process that started it is gone, however that ends. busy.ts starts it.
const sliceMs = 20

process.once('disconnect', () => process.exit())
burn()

/** In slices, between which the process hears that it is alone. */
function burn(): void {
  for (const end = performance.now() + sliceMs; performance.now() < end;);
  setImmediate(burn)
}
