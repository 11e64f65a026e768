// Runs before each test file. Modules are shared by the files of a worker; this one is loaded anew.
import { afterAll, vi } from 'vitest'
import { endFile } from './endings.ts'
import './patience.ts'
import './transaction-checks.ts'

afterAll(endFile)
// The next file of the worker would ask a stub, which never answers, instead of the server.
afterAll(() => void vi.unstubAllGlobals())
