// Runs before each test file. Modules are shared by the files of a worker; this one is loaded anew.
import { afterAll } from 'vitest'
import { endFile } from './endings.ts'
import './witness.ts'

afterAll(endFile)
