// Makes the fixture of another tree with that tree's code, tells of it, and keeps it until the
// parent process lets go or dies.
import path from 'node:path'
import { pathToFileURL } from 'node:url'

// Ctrl-C reaches this process too; the database is stopped once it is there and the parent process
// has let go.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
const released = new Promise((resolve) => process.once('disconnect', resolve))

const file = pathToFileURL(path.join(process.argv[2]!, 'bench/fixture.ts')).href
const { makeFixture } = (await import(file)) as typeof import('./fixture.ts')
const { stop, ...fixture } = await makeFixture((line) => console.error(`older: ${line}`))
if (process.connected) process.send!(fixture)
await released
await stop()
