// Faults of the web application, as faults.ts has those of the server.
import type { Fault } from './faults.ts'

export const webFaults: readonly Fault[] = []
