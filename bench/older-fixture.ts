// Makes the fixture of another tree with that tree's code, sends it to the parent process, and
// keeps it until that process disconnects or dies.
import path from 'node:path'
import { pathToFileURL } from 'node:url'

// Ctrl-C reaches this process too. The database is stopped once it has started and the parent
// process has disconnected.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
const released = new Promise((resolve) => process.once('disconnect', resolve))

const file = pathToFileURL(path.join(process.argv[2]!, 'bench/fixture.ts')).href
const { makeFixture } = (await import(file)) as typeof import('./fixture.ts')
const { stop, ...fixture } = await makeFixture((line) => console.error(`older: ${line}`))
if (process.connected) process.send!(fixture)
await released
await stop()
