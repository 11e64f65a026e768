import { scratchDatabase } from './test/scratch.ts'
import { follow } from './server/changes/follow.ts'
import { openWire } from './server/changes/wake.ts'
const s = await scratchDatabase(); const log = { info() {}, error: console.log }
const wire = openWire(s.database)
const fs = ['a','b','c'].map(name => follow(s.database, { name, async handle() {} }, { wire, log })); await Promise.all(fs.map(f => f.held))
const b = s.another(); const standby = ['a','b','c'].map(name => follow(b, { name, async handle() {} }, { log }))
await new Promise(r => setTimeout(r, 3000)); const cpu = process.cpuUsage()
await new Promise(r => setTimeout(r, 20000)); const u = process.cpuUsage(cpu)
console.log('idle, 3 followers held + 3 standing by: node cpu ms per second', (u.user + u.system) / 1000 / 20)
await Promise.all([...fs, ...standby].map(f => f.stop())); await wire.close(); await s.drop()
