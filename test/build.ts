import { tmpdir } from 'node:os'
import { ensureBuild } from '../server/web/build.ts'

/** The web application is built once, before the servers of the tests would all do it at the same time. */
export default async function setup(): Promise<void> {
  await ensureBuild({ data: tmpdir(), say: () => undefined })
}
